// cpuprofile: what Chrome DevTools and VS Code load as a CPU profile. See docs/formats/cpuprofile.md.
#pragma once

#include <string>

#include "profile/profile.h"

namespace flametap::format {

// The format has one timeline: several threads stand one after the other in it, each below a root of its own.
[[nodiscard]] std::string write_cpuprofile(const profile::Profile& profile);

}  // namespace flametap::format
