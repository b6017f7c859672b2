// A small picture of a profile: its heaviest calls as an icicle, the outermost on top.
#pragma once

#include <string>

#include "profile/profile.h"

namespace flametap::server {

// An SVG of a few kilobytes, whatever the profile.
[[nodiscard]] std::string thumbnail(const profile::Profile& profile);

}  // namespace flametap::server
