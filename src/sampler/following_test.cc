#include "sampler/following.h"

#include <gtest/gtest.h>

namespace flametap::sampler {
namespace {

constexpr int kMany = 1000;

void follow(Following& following, int times, std::size_t needed) {
  for (int i = 0; i < times; ++i) {
    following.met_something_new();
    following.followed(needed);
  }
}

TEST(Following, EndsSomeTimeAfterSomethingNew) {
  Following following;
  for (int i = 0; i < kMany && following.is_due(); ++i) following.followed(0);
  EXPECT_FALSE(following.is_due());
  following.met_something_new();
  EXPECT_TRUE(following.is_due());
}

TEST(Following, GoesFartherThanWhatWasOfUse) {
  Following following;
  EXPECT_EQ(following.steps(), target::Trail::kMostSteps);
  follow(following, kMany, 20);
  EXPECT_GT(following.steps(), 20);
  EXPECT_LT(following.steps(), target::Trail::kMostSteps);
}

TEST(Following, NeverGoesNowhere) {
  Following following;
  follow(following, kMany, 0);
  EXPECT_GT(following.steps(), 0);
}

TEST(Following, NeverGoesTooFar) {
  Following following;
  follow(following, kMany, target::Trail::kMostSteps);
  EXPECT_EQ(following.steps(), target::Trail::kMostSteps);
}

TEST(Following, GoesAsFarAsItCanIfThatWasNotEnough) {
  Following following;
  follow(following, kMany, 1);
  EXPECT_TRUE(following.go_further());
  EXPECT_EQ(following.steps(), target::Trail::kMostSteps);
  follow(following, 1, 1);
  EXPECT_EQ(following.steps(), target::Trail::kMostSteps);
  EXPECT_FALSE(following.go_further());
}

}  // namespace
}  // namespace flametap::sampler
