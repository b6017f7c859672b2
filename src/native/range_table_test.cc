#include "native/range_table.h"

#include <gtest/gtest.h>

#include <optional>

namespace flametap::native {
namespace {

std::optional<std::uint32_t> find(const RangeTable& table, std::uint64_t address) {
  const RangeTable::Range* const range = table.find(address);
  return range != nullptr ? std::optional(range->value) : std::nullopt;
}

TEST(RangeTable, FindsWhatCoversAnAddress) {
  const RangeTable table({{20, 30, 2}, {10, 15, 1}, {40, 40, 3}});
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(find(table, 9), std::nullopt);
  EXPECT_EQ(find(table, 10), 1u);
  EXPECT_EQ(find(table, 14), 1u);
  EXPECT_EQ(find(table, 15), std::nullopt);
  EXPECT_EQ(find(table, 29), 2u);
  EXPECT_EQ(find(table, 30), std::nullopt);
  EXPECT_EQ(find(table, 40), std::nullopt);
  EXPECT_EQ(find(table, UINT64_MAX), std::nullopt);
  EXPECT_EQ(find(RangeTable(), 1), std::nullopt);
}

TEST(RangeTable, TheInnermostCounts) {
  const RangeTable table({{0, 100, 1}, {10, 20, 2}, {10, 15, 3}, {12, 13, 4}, {18, 30, 5}, {10, 15, 6}});
  EXPECT_EQ(find(table, 9), 1u);
  EXPECT_EQ(find(table, 11), 3u);
  EXPECT_EQ(find(table, 12), 4u);
  EXPECT_EQ(find(table, 14), 3u);
  EXPECT_EQ(find(table, 16), 2u);
  EXPECT_EQ(find(table, 19), 5u);
  EXPECT_EQ(find(table, 29), 5u);
  EXPECT_EQ(find(table, 30), 1u);
}

TEST(RangeTable, GivesUpOnAbsurdNesting) {
  std::vector<RangeTable::Range> ranges{{0, 1'000'000, 7}};
  for (std::uint32_t i = 1; i < 1000; ++i) ranges.push_back({i, 2000 - i, i});
  const RangeTable table(ranges);
  EXPECT_EQ(find(table, 999), 999u);
  EXPECT_EQ(find(table, 500'000), std::nullopt);
}

}  // namespace
}  // namespace flametap::native
