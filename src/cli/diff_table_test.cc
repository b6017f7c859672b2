#include "cli/diff_table.h"

#include <gtest/gtest.h>

#include "profile/test_profile.h"

namespace flametap::cli {
namespace {

TEST(DiffTable, SaysSharesAndPoints) {
  profile::TestProfile before;
  const profile::ThreadId thread = before.thread("MainThread", 7);
  before.sample(thread, {{"main", "/a.py", 1}, {"äöü", "/a.py", 2}}, 3);
  before.sample(thread, {{"main", "/a.py", 1}}, 1);
  profile::TestProfile after;
  after.thread("MainThread", 7);
  after.sample(thread, {{"main", "/a.py", 1}}, 1);
  const profile::Difference difference = profile::difference(before.profile, after.profile, {});
  EXPECT_EQ(diff_table(difference, 20),
            "  self %                            total %\n"
            "  before    after   change    before    after   change  function  file\n"
            "   75.00     0.00   -75.00     75.00     0.00   -75.00  äöü       /a.py\n"
            "   25.00   100.00   +75.00    100.00   100.00    +0.00  main      /a.py\n");
  EXPECT_NE(diff_table(difference, 1), diff_table(difference, 2));
}

TEST(DiffTable, OfNoChange) {
  EXPECT_EQ(diff_table(profile::Difference(), 20), "no function's share of the time changed\n");
}

}  // namespace
}  // namespace flametap::cli
