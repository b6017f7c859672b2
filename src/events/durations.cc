#include "events/durations.h"

#include <algorithm>
#include <bit>

namespace flametap::events {
namespace {

// 1024 buckets for each power of two: the middle of one is at most 1/2048 away from what is in it.
constexpr unsigned kBits = 10;

std::size_t bucket_of(Nanoseconds duration) {
  const auto width = static_cast<unsigned>(std::bit_width(duration));
  if (width <= kBits + 1) return static_cast<std::size_t>(duration);
  const unsigned shift = width - kBits - 1;
  return (static_cast<std::size_t>(shift) << kBits) + static_cast<std::size_t>(duration >> shift);
}

Nanoseconds middle_of(std::size_t bucket) {
  if (bucket < (std::size_t{2} << kBits)) return bucket;
  const std::size_t shift = (bucket >> kBits) - 1;
  return ((static_cast<Nanoseconds>(bucket) - (shift << kBits)) << shift) + (Nanoseconds{1} << shift) / 2;
}

}  // namespace

void Durations::add(Nanoseconds duration) {
  ++count_;
  sum_ += duration;
  max_ = std::max(max_, duration);
  if (!is_exact()) return put_into_bucket(duration);
  if (kept_.size() < kMaxKept) return kept_.push_back(duration);
  for (const Nanoseconds kept : kept_) put_into_bucket(kept);
  put_into_bucket(duration);
  kept_ = {};
}

Nanoseconds Durations::percentile(unsigned percent) const {
  if (count_ == 0) return 0;
  const std::uint64_t rank = std::max<std::uint64_t>((count_ * percent + 99) / 100, 1);
  if (is_exact()) {
    std::vector<Nanoseconds> sorted = kept_;
    const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(rank - 1);
    std::nth_element(sorted.begin(), at, sorted.end());
    return *at;
  }
  std::uint64_t passed = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    passed += buckets_[bucket];
    if (passed >= rank) return std::min(middle_of(bucket), max_);
  }
  return max_;
}

void Durations::put_into_bucket(Nanoseconds duration) {
  const std::size_t bucket = bucket_of(duration);
  if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
  ++buckets_[bucket];
}

}  // namespace flametap::events
