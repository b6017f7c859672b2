#include "sampler/stack_table.h"

#include <gtest/gtest.h>

#include <vector>

namespace flametap::sampler {
namespace {

using stack::Frame;
using stack::FrameKind;

TEST(StackTableTest, GivesTheSameStackTheSameNumber) {
  StackTable table;
  const std::vector<Frame> one{{FrameKind::python, 1, 10}, {FrameKind::python, 2, 20}};
  const std::vector<Frame> other{{FrameKind::python, 1, 11}, {FrameKind::python, 2, 20}};
  EXPECT_TRUE(table.find_or_add(one, false).is_new);
  EXPECT_TRUE(table.find_or_add(other, false).is_new);
  const auto again = table.find_or_add(one, false);
  EXPECT_FALSE(again.is_new);
  EXPECT_EQ(again.number, 0u);
}

TEST(StackTableTest, TheKindOfAFrameCounts) {
  StackTable table;
  EXPECT_EQ(table.find_or_add(std::vector<Frame>{{FrameKind::python, 1, 0}}, false).number, 0u);
  EXPECT_EQ(table.find_or_add(std::vector<Frame>{{FrameKind::native, 1, 0}}, false).number, 1u);
  EXPECT_EQ(table.find_or_add(std::vector<Frame>{{FrameKind::kernel, 1, 0}}, false).number, 2u);
}

TEST(StackTableTest, ATruncatedStackIsAnother) {
  StackTable table;
  const std::vector<Frame> stack{{FrameKind::python, 1, 10}};
  EXPECT_EQ(table.find_or_add(stack, false).number, 0u);
  EXPECT_EQ(table.find_or_add(stack, true).number, 1u);
}

TEST(StackTableTest, KeepsItsNumbersWhenItGrows) {
  StackTable table;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    const std::vector<Frame> stack{{FrameKind::python, i, 1}, {FrameKind::python, i / 2, 2}};
    ASSERT_EQ(table.find_or_add(stack, false).number, i);
  }
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    const std::vector<Frame> stack{{FrameKind::python, i, 1}, {FrameKind::python, i / 2, 2}};
    ASSERT_EQ(table.find_or_add(stack, false).number, i);
  }
}

}  // namespace
}  // namespace flametap::sampler
