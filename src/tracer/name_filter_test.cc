#include "tracer/name_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace flametap::tracer {
namespace {

using testing::ElementsAre;

Pattern pattern(const std::string& text) { return *Pattern::compile(text, "names"); }

TEST(NameFilterTest, WithoutPatternsAllIsShownAndNobodyIsTold) {
  NameFilter filter(pattern(""), pattern(""));
  filter.on_judged([](auto, auto, bool) { ADD_FAILURE(); });
  EXPECT_TRUE(filter.shows_all());
  EXPECT_FALSE(filter.looks_at_files());
  EXPECT_TRUE(filter.shows("shop.py", "buy"));
  EXPECT_TRUE(filter.shows("", ""));
}

TEST(NameFilterTest, ByFunction) {
  NameFilter filter(pattern("^(buy|sell)$"), pattern(""));
  EXPECT_FALSE(filter.shows_all());
  EXPECT_FALSE(filter.looks_at_files());
  EXPECT_TRUE(filter.shows("shop.py", "buy"));
  EXPECT_TRUE(filter.shows("other.py", "sell"));
  EXPECT_FALSE(filter.shows("shop.py", "buys"));
  EXPECT_FALSE(filter.shows("shop.py", ""));
}

TEST(NameFilterTest, ByFile) {
  NameFilter filter(pattern(""), pattern("/shop/"));
  EXPECT_TRUE(filter.looks_at_files());
  EXPECT_TRUE(filter.shows("app/shop/cart.py", "add"));
  EXPECT_FALSE(filter.shows("app/shop.py", "add"));
}

TEST(NameFilterTest, BothMustMatch) {
  NameFilter filter(pattern("add"), pattern("cart"));
  EXPECT_TRUE(filter.shows("cart.py", "add"));
  EXPECT_FALSE(filter.shows("cart.py", "clear"));
  EXPECT_FALSE(filter.shows("list.py", "add"));
  EXPECT_FALSE(filter.shows("list.py", "clear"));
}

TEST(NameFilterTest, EachVerdictIsToldOnce) {
  NameFilter filter(pattern("add"), pattern(""));
  std::vector<std::string> told;
  filter.on_judged([&](std::string_view file, std::string_view function, bool show) {
    told.push_back(std::string(file) + ":" + std::string(function) + (show ? " shown" : " hidden"));
  });
  const std::string file = "cart.py";
  const std::string add = "add";
  const std::string clear = "clear";
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(filter.shows(file, add));
    EXPECT_FALSE(filter.shows(file, clear));
  }
  EXPECT_THAT(told, ElementsAre("cart.py:add shown", "cart.py:clear hidden"));
}

}  // namespace
}  // namespace flametap::tracer
