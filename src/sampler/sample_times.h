// SampleTimes: how long samples took, counted in steps of an eighth of a power of two, so that the median of any number
// of them is known to 12 % from a few kilobytes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"

namespace flametap::sampler {

class SampleTimes {
 public:
  void add(Nanoseconds time) {
    ++counts_[step_of(time)];
    ++total_;
    slowest_ = std::max(slowest_, time);
  }
  [[nodiscard]] Nanoseconds slowest() const { return slowest_; }
  // 0: there were none.
  [[nodiscard]] Nanoseconds median() const {
    std::uint64_t met = 0;
    for (std::size_t step = 0; step < counts_.size(); ++step) {
      met += counts_[step];
      if (2 * met >= total_ && total_ > 0) return start_of(step);
    }
    return 0;
  }

 private:
  static constexpr int kBits = 3;  // of a time that are told apart below its highest one

  static std::size_t step_of(Nanoseconds time) {
    const auto width = static_cast<int>(std::bit_width(time));
    if (width <= kBits) return time;
    return (static_cast<std::size_t>(width - kBits) << kBits) + (time >> (width - 1 - kBits) & ((1u << kBits) - 1));
  }
  static Nanoseconds start_of(std::size_t step) {
    const std::size_t width = step >> kBits;
    if (width == 0) return step;
    const std::uint64_t digits = (1u << kBits) + (step & ((1u << kBits) - 1));
    return digits << (width - 1);
  }

  std::array<std::uint64_t, std::size_t{64 - kBits + 1} << kBits> counts_{};
  std::uint64_t total_ = 0;
  Nanoseconds slowest_ = 0;
};

}  // namespace flametap::sampler
