#include "cpython/coverage.h"

#include <gtest/gtest.h>

namespace flametap::cpython {
namespace {

using target::Address;

TEST(CoverageTest, JoinsWhatLiesCloseTogether) {
  Coverage coverage;
  coverage.add(Address{1000}, 100);
  coverage.add(Address{5000}, 10);
  coverage.add(Address{1200}, 100);
  coverage.build(128);
  ASSERT_EQ(coverage.stretches().size(), 2u);
  EXPECT_EQ(coverage.size(), 310u);
  EXPECT_EQ(coverage.offset_of(Address{1200}, 100), 200u);
  EXPECT_EQ(coverage.offset_of(Address{5000}, 10), 300u);
}

TEST(CoverageTest, KnowsWhatItDoesNotCover) {
  Coverage coverage;
  coverage.add(Address{1000}, 100);
  coverage.build(0);
  EXPECT_EQ(coverage.offset_of(Address{999}, 1), Coverage::kNowhere);
  EXPECT_EQ(coverage.offset_of(Address{1050}, 51), Coverage::kNowhere);
  EXPECT_EQ(coverage.offset_of(Address{1100}, 1), Coverage::kNowhere);
  EXPECT_EQ(coverage.offset_of(Address{~0ull}, 8), Coverage::kNowhere);
}

TEST(CoverageTest, IgnoresRangesThatWrapAround) {
  Coverage coverage;
  coverage.add(Address{~0ull - 4}, 100);
  coverage.build(0);
  EXPECT_TRUE(coverage.stretches().empty());
}

TEST(CoverageTest, RemembersWhenAStretchWasUsed) {
  Coverage coverage;
  coverage.add(Address{1000}, 8);
  coverage.add(Address{9000}, 8);
  coverage.build(0);
  ASSERT_NE(coverage.offset_of(Address{9000}, 8), Coverage::kNowhere);
  coverage.mark(7);
  EXPECT_EQ(coverage.marked(Address{9000}), 7u);
  EXPECT_EQ(coverage.marked(Address{1000}), 0u);
}

}  // namespace
}  // namespace flametap::cpython
