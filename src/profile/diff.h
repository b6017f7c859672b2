// Which functions take a larger or a smaller share of the time in one recording than in another.
#pragma once

#include <vector>

#include "profile/common.h"
#include "profile/profile.h"

namespace flametap::profile {

// Parts of all samples of a recording, from 0 to 1.
struct Share {
  double self = 0;   // while it was the innermost one
  double total = 0;  // while it was on the stack; once, however often it stood there
};

struct Change {
  FunctionId function;  // of Difference::functions
  Share before;
  Share after;
};

struct Difference {
  Profile functions;            // only these and their texts
  std::vector<Change> changes;  // by how much self changed, then total, then name; those that did not are not in it
};

// A function is the same in both if name, file, kind and module are: lines move when a program is changed. By time
// where both know it, else by ticks.
[[nodiscard]] Difference difference(const Profile& before, const Profile& after, Measures common);

}  // namespace flametap::profile
