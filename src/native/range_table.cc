#include "native/range_table.h"

#include <algorithm>

namespace flametap::native {
namespace {

// How many ranges may begin and end inside of one another in front of an address before we give up. Real ones seldom
// overlap at all.
constexpr int kMaxNesting = 64;

}  // namespace

RangeTable::RangeTable(std::vector<Range> ranges) {
  std::erase_if(ranges, [](const Range& range) { return range.begin >= range.end; });
  std::stable_sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  const auto are_equal = [](const Range& a, const Range& b) { return a.begin == b.begin && a.end == b.end; };
  ranges.erase(std::unique(ranges.begin(), ranges.end(), are_equal), ranges.end());
  ranges.resize(std::min<std::size_t>(ranges.size(), kNone));

  entries_.reserve(ranges.size());
  std::uint32_t last = kNone;  // of the chain of those that may still reach further
  for (const Range& range : ranges) {
    while (last != kNone && entries_[last].range.end <= range.begin) last = entries_[last].enclosing;
    entries_.push_back({range, last});
    last = static_cast<std::uint32_t>(entries_.size() - 1);
  }
}

const RangeTable::Range* RangeTable::find(std::uint64_t address) const {
  const auto after =
      std::upper_bound(entries_.begin(), entries_.end(), address,
                       [](std::uint64_t value, const Entry& entry) { return value < entry.range.begin; });
  if (after == entries_.begin()) return nullptr;
  auto at = static_cast<std::uint32_t>(after - entries_.begin() - 1);
  for (int i = 0; i < kMaxNesting && at != kNone; ++i, at = entries_[at].enclosing) {
    if (address < entries_[at].range.end) return &entries_[at].range;
  }
  return nullptr;
}

}  // namespace flametap::native
