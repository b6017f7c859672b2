#include "profile/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "profile/test_profile.h"

namespace flametap::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string percent(double share) { return std::to_string(std::lround(100 * share)); }

// `name SELF>SELF TOTAL>TOTAL` for each, in percent.
std::vector<std::string> lines(const Profile& before, const Profile& after, Measures common = {}) {
  std::vector<std::string> result;
  const Difference found = difference(before, after, common);
  for (const Change& change : found.changes) {
    const std::string_view name = found.functions.text(found.functions.function(change.function).name);
    result.push_back(std::string(name) + " " + percent(change.before.self) + ">" + percent(change.after.self) + " " +
                     percent(change.before.total) + ">" + percent(change.after.total));
  }
  return result;
}

TEST(Difference, IsOfSharesAndNotOfAmounts) {
  TestProfile before;
  const ThreadId thread = before.thread("MainThread", 7);
  before.sample(thread, {"main", "f"}, 3);
  before.sample(thread, {"main", "g"}, 1);
  TestProfile after;
  after.thread("MainThread", 9);
  after.sample(thread, {"main", "g"}, 100);
  after.sample(thread, {"main", "f"}, 100);
  EXPECT_THAT(lines(before.profile, after.profile), ElementsAre("f 75>50 75>50", "g 25>50 25>50"));
  TestProfile longer;
  longer.thread("MainThread", 9);
  longer.sample(thread, {"main", "f"}, 30);
  longer.sample(thread, {"main", "g"}, 10);
  EXPECT_THAT(lines(before.profile, longer.profile), IsEmpty());
}

TEST(Difference, AFunctionIsTheSameWhereverItsLinesMoved) {
  TestProfile before;
  before.sample(before.thread("MainThread", 7), {TestFrame("f", "/a.py", 12, 10)}, 4);
  TestProfile after;
  const ThreadId thread = after.thread("MainThread", 7);
  after.sample(thread, {TestFrame("f", "/a.py", 30, 28)}, 1);
  after.sample(thread, {TestFrame("f", "/a.py", 31, 29)}, 3);
  EXPECT_THAT(lines(before.profile, after.profile), IsEmpty());
}

TEST(Difference, OneThatIsOnlyInOneOfThemHadNothingInTheOther) {
  TestProfile before;
  before.sample(before.thread("MainThread", 7), {"main", "old"}, 4);
  TestProfile after;
  after.sample(after.thread("MainThread", 7), {"main", "new"}, 4);
  EXPECT_THAT(lines(before.profile, after.profile), ElementsAre("new 0>100 0>100", "old 100>0 100>0"));
}

TEST(Difference, RecursionCountsOnce) {
  TestProfile before;
  before.sample(before.thread("MainThread", 7), {"fib", "fib", "fib"}, 4);
  TestProfile after;
  const ThreadId thread = after.thread("MainThread", 7);
  after.sample(thread, {"fib", "fib"}, 1);
  after.sample(thread, {"main"}, 1);
  EXPECT_THAT(lines(before.profile, after.profile), ElementsAre("fib 100>50 100>50", "main 0>50 0>50"));
}

TEST(Difference, OfNothing) {
  TestProfile after;
  after.sample(after.thread("MainThread", 7), {"main"}, 4);
  EXPECT_THAT(lines(Profile(), after.profile), ElementsAre("main 0>100 0>100"));
  EXPECT_THAT(lines(Profile(), Profile()), IsEmpty());
}

TEST(Difference, ByTicksWhereTimeIsNotKnown) {
  TestProfile before;
  const ThreadId thread = before.thread("MainThread", 7);
  before.profile.add(Sample{0, 0, thread, before.stack({"f"}), 1, stack::kOnCpu});
  before.profile.add(Sample{0, 0, thread, before.stack({"g"}), 1, stack::kOnCpu});
  TestProfile after;
  after.sample(after.thread("MainThread", 7), {"f"}, 3);
  EXPECT_THAT(lines(before.profile, after.profile, {.time = false}), ElementsAre("f 50>100 50>100", "g 50>0 50>0"));
}

}  // namespace
}  // namespace flametap::profile
