// Durations: how long something took, many times. Exact up to a million, by a histogram after that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace flametap::events {

class Durations {
 public:
  static constexpr std::size_t kMaxKept = 1'000'000;

  void add(Nanoseconds duration);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] Nanoseconds sum() const { return sum_; }
  [[nodiscard]] Nanoseconds max() const { return max_; }
  [[nodiscard]] Nanoseconds average() const { return count_ == 0 ? 0 : sum_ / count_; }
  // The smallest duration that at least so many of a hundred do not exceed; 0 if there are none. Of a histogram, with
  // an error of at most 0.1 %.
  [[nodiscard]] Nanoseconds percentile(unsigned percent) const;
  // Percentiles are; all else always is.
  [[nodiscard]] bool is_exact() const { return buckets_.empty(); }

 private:
  void put_into_bucket(Nanoseconds duration);

  std::vector<Nanoseconds> kept_;
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  Nanoseconds sum_ = 0;
  Nanoseconds max_ = 0;
};

}  // namespace flametap::events
