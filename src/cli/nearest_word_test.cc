#include "cli/nearest_word.h"

#include <gtest/gtest.h>

namespace flametap::cli {
namespace {

const std::vector<std::string> kWords = {"record", "report", "dump", "--duration", "--native"};

TEST(NearestWord, OneStepAway) {
  EXPECT_EQ(nearest_word("recrod", kWords), "record");
  EXPECT_EQ(nearest_word("recor", kWords), "record");
  EXPECT_EQ(nearest_word("repport", kWords), "report");
  EXPECT_EQ(nearest_word("domp", kWords), "dump");
  EXPECT_EQ(nearest_word("--duraton", kWords), "--duration");
}

TEST(NearestWord, OfTwoAsNearTheFirst) { EXPECT_EQ(nearest_word("repord", kWords), "record"); }

TEST(NearestWord, NoneIsNear) {
  EXPECT_EQ(nearest_word("", kWords), "");
  EXPECT_EQ(nearest_word("profile", kWords), "");
  EXPECT_EQ(nearest_word("xy", kWords), "");
  EXPECT_EQ(nearest_word(std::string(100'000, 'x'), kWords), "");
  EXPECT_EQ(nearest_word("dump", {}), "");
}

}  // namespace
}  // namespace flametap::cli
