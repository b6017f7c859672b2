// The hottest functions of a profile.
#pragma once

#include <vector>

#include "profile/profile.h"
#include "profile/tree.h"

namespace flametap::profile {

struct Hot {
  FunctionId function;
  Weight self;   // while it was the innermost one
  Weight total;  // while it was on the stack; once, however often it stood there
};

// Every function that has samples, by self, then total, then name. Markers are in it, as they are in the stacks.
[[nodiscard]] std::vector<Hot> top(const Profile& profile);

}  // namespace flametap::profile
