#include "base/pattern.h"

#include <gtest/gtest.h>

#include <string>

namespace flametap {
namespace {

TEST(Pattern, AnEmptyOneMatchesEverything) {
  EXPECT_TRUE(Pattern().matches("anything"));
  EXPECT_TRUE(Pattern::compile("", "a name")->matches(""));
}

TEST(Pattern, IsFoundAnywhere) {
  const auto pattern = Pattern::compile("b+c$", "a name");
  EXPECT_TRUE(pattern->matches("abbbc"));
  EXPECT_FALSE(pattern->matches("abbbcd"));
}

TEST(Pattern, SaysWhatIsWrong) {
  const auto pattern = Pattern::compile("a(", "a thread");
  ASSERT_FALSE(pattern.ok());
  EXPECT_EQ(pattern.error().kind, Failure::usage);
  EXPECT_EQ(pattern.error().message.find("not a regular expression for a thread: a(: "), 0U);
}

TEST(Pattern, LooksAtTheStartOfALongNameOnly) {
  const auto pattern = Pattern::compile("(a*)*$", "a name");
  EXPECT_TRUE(pattern->matches(std::string(10, 'a')));
  EXPECT_FALSE(Pattern::compile("b", "a name")->matches(std::string(2000, 'a') + "b"));
}

}  // namespace
}  // namespace flametap
