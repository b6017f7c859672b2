// stats: how the recording went, as a small JSON object for programs (`--stats FILE`). See docs/formats/stats.md.
#pragma once

#include <string>

#include "profile/profile.h"

namespace flametap::format {

[[nodiscard]] std::string write_stats(const profile::Profile& profile);

}  // namespace flametap::format
