// Following: in which interrupts of a thread its trail is followed, and how far. Each step of a trail costs the target
// 0.2 µs, and what is new is mostly near its beginning: the function that was called last.
#pragma once

#include <algorithm>
#include <cstddef>

#include "target/trail.h"

namespace flametap::sampler {

class Following {
 public:
  // Something that no reading covers: there may soon be more of it.
  void met_something_new() { due_ = kFollows; }
  [[nodiscard]] bool is_due() const { return due_ > 0; }
  // How far to go next.
  [[nodiscard]] std::size_t steps() const { return steps_; }

  // After one in which the first so many steps were of use.
  void followed(std::size_t needed) {
    --due_;
    most_needed_ = std::max(most_needed_, needed);
    if (++looked_at_ < kLooks) return;
    steps_ = std::clamp(2 * most_needed_, kFewestSteps, target::Trail::kMostSteps);
    most_needed_ = looked_at_ = 0;
  }
  // After one in which it did not lead to what was needed. False: it went as far as it can.
  [[nodiscard]] bool go_further() {
    most_needed_ = looked_at_ = 0;
    const bool can = steps_ < target::Trail::kMostSteps;
    steps_ = target::Trail::kMostSteps;
    return can;
  }

 private:
  static constexpr int kFollows = 256;
  static constexpr std::size_t kLooks = 32;
  static constexpr std::size_t kFewestSteps = 8;

  int due_ = kFollows;
  std::size_t steps_ = target::Trail::kMostSteps;
  std::size_t looked_at_ = 0;    // since the reach was last set,
  std::size_t most_needed_ = 0;  // and the farthest step that was of use
};

}  // namespace flametap::sampler
