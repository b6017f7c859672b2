// chrome: the Trace Event Format, for Perfetto and chrome://tracing; every thread is a track. See
// docs/formats/chrome.md.
#pragma once

#include <string>

#include "profile/profile.h"

namespace flametap::format {

[[nodiscard]] std::string write_chrome(const profile::Profile& profile);

}  // namespace flametap::format
