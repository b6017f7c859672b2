// svg: a flame graph in one file that asks nobody for anything: right as a still picture, interactive in a browser.
#pragma once

#include <string>

#include "profile/profile.h"

namespace flametap::format {

[[nodiscard]] std::string write_svg(const profile::Profile& profile);

}  // namespace flametap::format
