// speedscope: the file format of the viewer at speedscope.app; one profile per thread, in the order of time.
#pragma once

#include <string>

#include "profile/profile.h"

namespace flametap::format {

[[nodiscard]] std::string write_speedscope(const profile::Profile& profile);

}  // namespace flametap::format
