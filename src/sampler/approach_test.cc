#include "sampler/approach.h"

#include <gtest/gtest.h>

namespace flametap::sampler {
namespace {

// Samples a thread, of whose free readings every `failing`-th fails (0: none); says how many samples were free.
int free_samples(Approach& approach, int samples, int failing) {
  int readings = 0;
  int free = 0;
  const auto read = [&] {
    const bool verified = failing == 0 || ++readings % failing != 0;
    approach.note(verified);
    return verified;
  };
  for (int i = 0; i < samples; ++i) {
    if (!approach.stand_still()) {
      ++free;
      read();
    } else if (approach.trial_due()) {
      for (std::uint32_t trial = 0; trial < Approach::kTrials && read(); ++trial) {
      }
    }
  }
  return free;
}

TEST(ApproachTest, StandsStillUntilItKnowsBetter) { EXPECT_TRUE(Approach().stand_still()); }

TEST(ApproachTest, ReadsACalmThreadFreely) {
  Approach approach;
  EXPECT_GT(free_samples(approach, 10'000, 0), 9'990);
}

TEST(ApproachTest, ReadsFreelyOftenIfHardlyAnyReadingFails) {
  Approach approach;
  EXPECT_GT(free_samples(approach, 100'000, 5000), 99'000);
  EXPECT_GT(free_samples(approach, 100'000, 1000), 98'000);
}

TEST(ApproachTest, NeverReadsFreelyIfOneReadingInAHundredFails) {
  Approach approach;
  EXPECT_EQ(free_samples(approach, 100'000, 100), 0);
}

TEST(ApproachTest, OneFailureIsEnough) {
  Approach approach;
  free_samples(approach, 1000, 0);
  ASSERT_FALSE(approach.stand_still());
  approach.note(false);
  EXPECT_TRUE(approach.stand_still());
}

TEST(ApproachTest, TrialsThatSayNothingGetRareAndCountNeitherWay) {
  Approach approach;
  for (int i = 0; i < 255; ++i) approach.note(true);
  int put_off = 0;
  for (int i = 0; i < 100'000; ++i) {
    if (!approach.trial_due()) continue;
    ++put_off;
    approach.put_off();
  }
  EXPECT_GT(put_off, 50);
  EXPECT_LT(put_off, 150);
  EXPECT_TRUE(approach.stand_still());
  approach.note(true);
  EXPECT_FALSE(approach.stand_still());
}

TEST(ApproachTest, TriesSeldomWhileTheTrialsFail) {
  Approach approach;
  int trials = 0;
  for (int i = 0; i < 100'000; ++i) {
    if (!approach.trial_due()) continue;
    ++trials;
    approach.note(false);
  }
  EXPECT_GT(trials, 50);
  EXPECT_LT(trials, 150);
}

}  // namespace
}  // namespace flametap::sampler
