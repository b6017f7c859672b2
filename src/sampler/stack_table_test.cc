#include "sampler/stack_table.h"

#include <gtest/gtest.h>

#include <vector>

namespace flametap::sampler {
namespace {

using cpython::CodeFrame;
using cpython::CodeId;

TEST(StackTableTest, GivesTheSameStackTheSameNumber) {
  StackTable table;
  const std::vector<CodeFrame> one{{CodeId{1}, 10}, {CodeId{2}, 20}};
  const std::vector<CodeFrame> other{{CodeId{1}, 11}, {CodeId{2}, 20}};
  EXPECT_TRUE(table.find_or_add(one, false).is_new);
  EXPECT_TRUE(table.find_or_add(other, false).is_new);
  const auto again = table.find_or_add(one, false);
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(again.number, 0u);
}

TEST(StackTableTest, ATruncatedStackIsAnother) {
  StackTable table;
  const std::vector<CodeFrame> stack{{CodeId{1}, 10}};
  EXPECT_EQ(table.find_or_add(stack, false).number, 0u);
  EXPECT_EQ(table.find_or_add(stack, true).number, 1u);
}

TEST(StackTableTest, KeepsItsNumbersWhenItGrows) {
  StackTable table;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    const std::vector<CodeFrame> stack{{CodeId{i}, 1}, {CodeId{i / 2}, 2}};
    ASSERT_EQ(table.find_or_add(stack, false).number, i);
  }
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    const std::vector<CodeFrame> stack{{CodeId{i}, 1}, {CodeId{i / 2}, 2}};
    ASSERT_EQ(table.find_or_add(stack, false).number, i);
  }
}

}  // namespace
}  // namespace flametap::sampler
