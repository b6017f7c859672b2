#include "profile/top.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profile/test_profile.h"

namespace flametap::profile {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> shown_lines(const Profile& profile) {
  std::vector<std::string> result;
  for (const Hot& hot : top(profile)) {
    result.push_back(std::string(profile.text(profile.function(hot.function).name)) + " " +
                     std::to_string(hot.self.ticks) + " " + std::to_string(hot.total.ticks));
  }
  return result;
}

TEST(Top, CountsRecursionOnce) {
  TestProfile test;
  const ThreadId thread = test.thread("MainThread", 7);
  test.sample(thread, {"main", "fib", "fib", "fib"}, 5);
  test.sample(thread, {"main", "fib", "help", "fib"}, 2);
  test.sample(thread, {"main"}, 1);
  EXPECT_THAT(shown_lines(test.profile), ElementsAre("fib 7 7", "main 1 8", "help 0 2"));
}

TEST(Top, AddsUpTheLinesOfAFunction) {
  TestProfile test;
  const ThreadId thread = test.thread("MainThread", 7);
  test.sample(thread, {TestFrame("f", "/a.py", 3)}, 5);
  test.sample(thread, {TestFrame("f", "/a.py", 4)}, 6);
  EXPECT_THAT(shown_lines(test.profile), ElementsAre("f 11 11"));
}

TEST(Top, TellsEqualNamesApartAndOrdersTiesByName) {
  TestProfile test;
  const ThreadId thread = test.thread("MainThread", 7);
  test.sample(thread, {TestFrame("b", "/a.py", 3)}, 2);
  test.sample(thread, {TestFrame("a", "/b.py", 3)}, 2);
  test.sample(thread, {TestFrame("a", "/a.py", 3)}, 2);
  const std::vector<Hot> hot = top(test.profile);
  ASSERT_EQ(hot.size(), 3u);
  EXPECT_EQ(test.profile.text(test.profile.function(hot[0].function).file), "/a.py");
  EXPECT_EQ(test.profile.text(test.profile.function(hot[1].function).file), "/b.py");
  EXPECT_EQ(test.profile.text(test.profile.function(hot[2].function).name), "b");
}

}  // namespace
}  // namespace flametap::profile
