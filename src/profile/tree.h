// Tree: the call tree of a profile, laid out in the order in which it is drawn: each node before its children, children
// by name. The same samples give the same tree, in whatever order they came.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace flametap::profile {

struct Weight {
  std::uint64_t ticks = 0;
  std::uint64_t ns = 0;

  Weight& operator+=(const Weight& other) {
    ticks += other.ticks;
    ns += other.ns;
    return *this;
  }
  bool operator==(const Weight&) const = default;
};

struct Node {
  FrameId frame;
  std::uint32_t depth;  // 0: an outermost frame
  Weight self;          // of the samples that ended here
  Weight total;         // with all that it called
};

struct Tree {
  std::vector<Node> nodes;  // only those that have samples
  Weight total;             // of all samples
  Weight empty;             // of the samples without any frame, which no node shows
  std::uint32_t depth = 0;  // how many rows the deepest stack takes
};

[[nodiscard]] Tree tree_of(const Profile& profile);

// The place of every frame in the order by name, file, line, first line, kind and module: frames compare as these
// numbers do.
[[nodiscard]] std::vector<std::uint32_t> ranks_by_name(const Profile& profile);

}  // namespace flametap::profile
