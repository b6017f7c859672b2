// What several recordings have in common, so that their samples can stand side by side.
#pragma once

#include <span>

#include "base/result.h"
#include "profile/profile.h"

namespace flametap::profile {

// The mode that all of them have samples of.
[[nodiscard]] Mode common_mode(std::span<const Profile> recordings);

struct Measures {
  bool time = true;
  bool ticks = true;
};

// What every recording that has samples says of them. Of a measure that one lacks, its samples would be hidden. Fails
// if there is none.
[[nodiscard]] Result<Measures> common_measures(std::span<const Profile> recordings);

}  // namespace flametap::profile
