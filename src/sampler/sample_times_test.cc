#include "sampler/sample_times.h"

#include <gtest/gtest.h>

namespace flametap::sampler {
namespace {

TEST(SampleTimes, NoneYet) {
  EXPECT_EQ(SampleTimes().median(), 0u);
  EXPECT_EQ(SampleTimes().slowest(), 0u);
}

TEST(SampleTimes, AMedianIsKnownToAnEighth) {
  for (Nanoseconds time = 1; time < ~Nanoseconds{0} / 4; time += time / 5 + 1) {
    SampleTimes times;
    times.add(time);
    EXPECT_LE(times.median(), time);
    EXPECT_GE(times.median(), time - time / 8) << time;
    EXPECT_EQ(times.slowest(), time);
  }
}

TEST(SampleTimes, HalfOfThemAreQuicker) {
  SampleTimes times;
  for (int i = 0; i < 51; ++i) times.add(1024);
  for (int i = 0; i < 49; ++i) times.add(1'000'000);
  EXPECT_EQ(times.median(), 1024u);
  EXPECT_EQ(times.slowest(), 1'000'000u);
}

TEST(SampleTimes, TheLongestTimeHasAPlace) {
  SampleTimes times;
  times.add(~Nanoseconds{0});
  EXPECT_GE(times.median(), ~Nanoseconds{0} / 8 * 7);
}

}  // namespace
}  // namespace flametap::sampler
