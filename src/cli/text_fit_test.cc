#include "cli/text_fit.h"

#include <gtest/gtest.h>

namespace flametap::cli {
namespace {

TEST(Wrapped, BreaksBetweenWords) {
  EXPECT_EQ(wrapped("one two three four five six", 22, 0, 2), "one two three four\n  five six");
  EXPECT_EQ(wrapped("one two three", 24, 16, 2), "one two\n  three");
  EXPECT_EQ(wrapped("größe größe größe größe", 23, 0, 2), "größe größe größe größe");
  EXPECT_EQ(wrapped("", 24, 0, 2), "");
}

TEST(Wrapped, EachLineOfATextIsBrokenByItself) {
  EXPECT_EQ(wrapped_lines("flametap: done\n  one two three four five six\n", 26, 4),
            "flametap: done\n  one two three four five\n    six\n");
  EXPECT_EQ(wrapped_lines("one two\n\nthree", {}, 4), "one two\n\nthree\n");
}

TEST(Wrapped, LeavesLongWordsWhole) {
  const std::string path = "/" + std::string(60, 'x');
  EXPECT_EQ(wrapped("in " + path + " it is", 30, 0, 4), "in\n    " + path + "\n    it is");
}

TEST(Wrapped, ChangesNothingWithoutATerminalOrRoom) {
  EXPECT_EQ(wrapped("one two three", std::nullopt, 0, 0), "one two three");
  EXPECT_EQ(wrapped("one two three", 10, 0, 4), "one two three");
}

TEST(FitNames, SharesTheRoom) {
  const auto fit = [](Columns columns, std::size_t taken, NameWidths wanted) {
    const NameWidths widths = fit_names(columns, taken, wanted);
    return std::pair(widths.name, widths.place);
  };
  using Pair = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(fit(std::nullopt, 40, {100, 200}), Pair(100, 200));
  EXPECT_EQ(fit(80, 40, {10, 30}), Pair(10, 30));
  EXPECT_EQ(fit(80, 40, {30, 30}), Pair(20, 20));
  EXPECT_EQ(fit(80, 40, {30, 15}), Pair(25, 15));
  EXPECT_EQ(fit(80, 40, {5, 60}), Pair(5, 35));
  EXPECT_EQ(fit(30, 40, {50, 60}), Pair(10, 10));
}

}  // namespace
}  // namespace flametap::cli
