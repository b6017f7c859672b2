#include "sampler/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace flametap::sampler {
namespace {

constexpr Nanoseconds kMillisecond = 1'000'000;

TEST(ScheduleTest, HasOneTickInEverySlot) {
  Schedule schedule(1000, 5000, 1);
  for (Nanoseconds slot = 0; slot < 1000; ++slot) {
    const Schedule::Tick tick = schedule.next(5000 + slot * kMillisecond);
    EXPECT_GE(tick.deadline, 5000 + slot * kMillisecond);
    EXPECT_LT(tick.deadline, 5000 + (slot + 1) * kMillisecond);
    EXPECT_EQ(tick.weight, kMillisecond);
    EXPECT_EQ(tick.missed, 0u);
  }
}

TEST(ScheduleTest, SpreadsTheTicksOverTheirSlots) {
  Schedule schedule(1000, 0, 7);
  std::vector<int> tenths(10);
  for (Nanoseconds slot = 0; slot < 10'000; ++slot) {
    const Schedule::Tick tick = schedule.next(slot * kMillisecond);
    ++tenths[(tick.deadline - slot * kMillisecond) * 10 / kMillisecond];
  }
  EXPECT_GT(std::ranges::min(tenths), 850);  // 1000 each, give or take five standard deviations
  EXPECT_LT(std::ranges::max(tenths), 1150);
}

TEST(ScheduleTest, BeingLateDoesNotAddUp) {
  Schedule schedule(1000, 0, 1);
  (void)schedule.next(0);
  // Done only in the middle of the slot after next: one slot had no tick, and the next sample stands for it too.
  const Schedule::Tick late = schedule.next(2 * kMillisecond + 500'000);
  EXPECT_EQ(late.missed, 1u);
  EXPECT_EQ(late.weight, 2 * kMillisecond);
  EXPECT_LT(late.deadline, 3 * kMillisecond);
  EXPECT_EQ(schedule.next(2 * kMillisecond + 900'000).missed, 0u);
}

TEST(ScheduleTest, TheWeightsAddUpToTheTime) {
  Schedule schedule(3000, 0, 3);
  Nanoseconds now = 0;
  Nanoseconds weights = 0;
  Nanoseconds deadline = 0;
  for (int i = 0; i < 5000; ++i) {
    const Schedule::Tick tick = schedule.next(now);
    weights += tick.weight;
    deadline = tick.deadline;
    now = std::max(now, tick.deadline) + static_cast<Nanoseconds>(i % 7) * 150'000;
  }
  EXPECT_NEAR(static_cast<double>(weights), static_cast<double>(deadline), 400'000 + 5000);
}

TEST(ScheduleTest, AsFastAsPossibleNeverWaits) {
  Schedule schedule(0, 100, 1);
  EXPECT_EQ(schedule.next(150).deadline, 150u);
  const Schedule::Tick tick = schedule.next(190);
  EXPECT_EQ(tick.deadline, 190u);
  EXPECT_EQ(tick.weight, 40u);
}

TEST(ScheduleTest, CountsTheTicksThatNobodyAttendedTo) {
  Schedule schedule(1000, 0, 1);
  const Schedule::Tick tick = schedule.next(0);
  EXPECT_EQ(schedule.passed(tick, tick.deadline - 1), 0u);
  EXPECT_EQ(schedule.passed(tick, tick.deadline), 1u);
  EXPECT_EQ(schedule.passed(tick, tick.deadline + 5'500'000), 6u);
  EXPECT_EQ(Schedule(0, 0, 1).passed(tick, 1'000'000'000), 0u);
}

}  // namespace
}  // namespace flametap::sampler
