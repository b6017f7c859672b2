#include "sampler/approach.h"

#include <gtest/gtest.h>

namespace flametap::sampler {
namespace {

TEST(ApproachTest, ReadsFreelyAtFirst) { EXPECT_FALSE(Approach().stand_still()); }

TEST(ApproachTest, OneFailureInThousandsIsNoReasonToStandStill) {
  Approach approach;
  for (int i = 0; i < 50'000; ++i) {
    approach.note(i % 2000 != 0);
    ASSERT_FALSE(approach.stand_still());
  }
}

TEST(ApproachTest, OneFailureInAHundredIs) {
  Approach approach;
  for (int i = 0; i < 1000; ++i) approach.note(i % 100 != 0);
  EXPECT_TRUE(approach.stand_still());
}

TEST(ApproachTest, ReturnsWhenTheTrialsSucceed) {
  Approach approach;
  for (int i = 0; i < 100; ++i) approach.note(false);
  ASSERT_TRUE(approach.stand_still());
  int samples = 0;
  while (approach.stand_still() && samples < 1'000'000) {
    ++samples;
    if (!approach.trial_due()) continue;
    for (int i = 0; i < Approach::kTrials; ++i) approach.note(true);
  }
  EXPECT_LT(samples, 20'000);
}

TEST(ApproachTest, TriesLessAndLessWhileTheTrialsFail) {
  Approach approach;
  for (int i = 0; i < 100; ++i) approach.note(false);
  int trials = 0;
  for (int i = 0; i < 100'000; ++i) {
    if (!approach.trial_due()) continue;
    ++trials;
    for (int k = 0; k < Approach::kTrials; ++k) approach.note(false);
  }
  EXPECT_GT(trials, 10);
  EXPECT_LT(trials, 60);
  EXPECT_TRUE(approach.stand_still());
}

}  // namespace
}  // namespace flametap::sampler
