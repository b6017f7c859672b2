// RangeTable: stretches of addresses, each with a number, found by an address inside them.
//
// They may overlap: the one that begins last counts, and of those the smallest. Made once; looking up is a binary
// search without allocation, which any thread may do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flametap::native {

class RangeTable {
 public:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  // the first address behind it
    std::uint32_t value = 0;
  };

  RangeTable() = default;
  // Of equal ranges the first one counts.
  explicit RangeTable(std::vector<Range> ranges);

  // Null if there is none.
  [[nodiscard]] const Range* find(std::uint64_t address) const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Entry {
    Range range;
    std::uint32_t enclosing = kNone;  // the last one before it that reaches over its begin
  };

  std::vector<Entry> entries_;  // by begin, the larger first
};

}  // namespace flametap::native
