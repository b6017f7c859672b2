#include "profile/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profile/test_profile.h"

namespace flametap::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// One line per node: indented name, self ticks, total ticks.
std::vector<std::string> tree_lines(const Profile& profile) {
  std::vector<std::string> result;
  for (const Node& node : tree_of(profile).nodes) {
    result.push_back(std::string(node.depth, ' ') + std::string(profile.name(node.frame)) + " " +
                     std::to_string(node.self.ticks) + " " + std::to_string(node.total.ticks));
  }
  return result;
}

TEST(Tree, OfNothingIsEmpty) {
  EXPECT_THAT(tree_of(Profile{}).nodes, IsEmpty());
  EXPECT_EQ(tree_of(Profile{}).depth, 0u);
}

TEST(Tree, OrdersChildrenByNameAndSumsUp) {
  TestProfile test;
  const ThreadId thread = test.thread("MainThread", 7);
  test.sample(thread, {"main", "z"}, 2);
  test.sample(thread, {"main", "b", "c"}, 3);
  test.sample(thread, {"main"}, 1);
  test.sample(thread, {"aside"}, 4);
  test.sample(thread, {"main", "b"}, 5);
  EXPECT_THAT(tree_lines(test.profile), ElementsAre("aside 4 4", "main 1 11", " b 5 8", "  c 3 3", " z 2 2"));
  const Tree tree = tree_of(test.profile);
  EXPECT_EQ(tree.total.ticks, 15u);
  EXPECT_EQ(tree.total.ns, 15'000'000u);
  EXPECT_EQ(tree.depth, 3u);
}

TEST(Tree, DoesNotDependOnTheOrderOfSamples) {
  TestProfile one;
  TestProfile other;
  const ThreadId thread = one.thread("MainThread", 7);
  other.thread("MainThread", 7);
  one.sample(thread, {"a", "b"}, 2);
  one.sample(thread, {"a", "c"}, 3);
  other.sample(thread, {"a", "c"}, 3);
  other.sample(thread, {"a", "b"}, 2);
  EXPECT_EQ(tree_lines(one.profile), tree_lines(other.profile));
}

TEST(Tree, LeavesOutStacksWithoutSamples) {
  TestProfile test;
  test.stack({"never", "seen"});
  test.sample(test.thread("MainThread", 7), {"seen"});
  EXPECT_THAT(tree_lines(test.profile), ElementsAre("seen 1 1"));
}

TEST(Tree, CountsSamplesWithoutFrames) {
  TestProfile test;
  test.sample(test.thread("MainThread", 7), {}, 6);
  EXPECT_EQ(tree_of(test.profile).empty.ticks, 6u);
  EXPECT_EQ(tree_of(test.profile).total.ticks, 6u);
}

TEST(Tree, OfAVeryDeepStackNeedsNoRecursion) {
  TestProfile test;
  StackId stack = kEmptyStack;
  const FrameId frame = test.profile.stack(test.stack({"f"})).frame;
  for (int i = 0; i < 200'000; ++i) stack = test.profile.push(stack, frame);
  test.profile.add(Sample{0, 1, test.thread("MainThread", 7), stack, 1, 0});
  EXPECT_EQ(tree_of(test.profile).depth, 200'000u);
}

}  // namespace
}  // namespace flametap::profile
