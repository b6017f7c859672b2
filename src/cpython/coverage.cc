#include "cpython/coverage.h"

#include <algorithm>

namespace flametap::cpython {

void Coverage::clear() {
  stretches_.clear();
  size_ = 0;
  last_ = 0;
}

void Coverage::add(target::Address from, std::uint64_t length) {
  const std::uint64_t start = target::to_number(from);
  if (length == 0 || start + length < start) return;
  stretches_.push_back({start, start + length, 0, 0});
}

void Coverage::build(std::uint64_t gap) {
  std::sort(stretches_.begin(), stretches_.end(), [](const Stretch& a, const Stretch& b) { return a.from < b.from; });
  std::size_t kept = 0;
  for (const Stretch& next : stretches_) {
    if (kept > 0 && (next.from <= stretches_[kept - 1].end || next.from - stretches_[kept - 1].end <= gap)) {
      stretches_[kept - 1].end = std::max(stretches_[kept - 1].end, next.end);
    } else {
      stretches_[kept++] = next;
    }
  }
  stretches_.resize(kept);
  size_ = 0;
  for (Stretch& stretch : stretches_) {
    stretch.at = size_;
    size_ += stretch.end - stretch.from;
  }
  last_ = 0;
}

std::size_t Coverage::search(std::uint64_t from, std::uint64_t length) const {
  auto after = std::upper_bound(stretches_.begin(), stretches_.end(), from,
                                [](std::uint64_t value, const Stretch& stretch) { return value < stretch.from; });
  if (after == stretches_.begin()) return kNowhere;
  const Stretch& found = *--after;
  if (from >= found.end || found.end - from < length) return kNowhere;
  last_ = static_cast<std::size_t>(after - stretches_.begin());
  return found.at + (from - found.from);
}

}  // namespace flametap::cpython
