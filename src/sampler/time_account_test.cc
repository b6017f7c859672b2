#include "sampler/time_account.h"

#include <gtest/gtest.h>

#include <random>

namespace flametap::sampler {
namespace {

constexpr Nanoseconds kMs = 1'000'000;
using Parts = TimeAccount::Parts;

target::TaskSchedstat turns(Nanoseconds run, Nanoseconds wait, std::uint64_t slices) {
  return {.run_time = run, .wait_time = wait, .slices = slices};
}

TEST(TimeAccount, WithoutTheKernelsWordItDidTheSameAllAlong) {
  const TimeAccount account;
  EXPECT_EQ(account.divide(5 * kMs, Activity::on_cpu, {}), (Parts{.on_cpu = 5 * kMs}));
  EXPECT_EQ(account.divide(5 * kMs, Activity::ready, {}), (Parts{.ready = 5 * kMs}));
  EXPECT_EQ(account.divide(5 * kMs, Activity::asleep, turns(7, 7, 7)), (Parts{.asleep = 5 * kMs}));
}

TEST(TimeAccount, InOneTurnItRanAllAlong) {
  TimeAccount account;
  account.settle(Activity::on_cpu, turns(100 * kMs, 0, 1), 0);
  // The kernel has not brought its account up to date.
  EXPECT_EQ(account.divide(3 * kMs, Activity::on_cpu, turns(100 * kMs, 0, 1)), (Parts{.on_cpu = 3 * kMs}));
}

TEST(TimeAccount, WhatTheKernelCountedIsDividedLikeThat) {
  TimeAccount account;
  account.settle(Activity::asleep, turns(100 * kMs, 50 * kMs, 1), 0);
  EXPECT_EQ(account.divide(20 * kMs, Activity::asleep, turns(104 * kMs, 59 * kMs, 4)),
            (Parts{.on_cpu = 4 * kMs, .ready = 9 * kMs, .asleep = 7 * kMs}));
}

TEST(TimeAccount, WhatSamplesCoverIsTakenOff) {
  TimeAccount account;
  account.settle(Activity::asleep, turns(0, 0, 1), 0);
  account.count(Activity::on_cpu, 3 * kMs);
  account.count(Activity::ready, 5 * kMs);
  EXPECT_EQ(account.divide(20 * kMs, Activity::asleep, turns(4 * kMs, 9 * kMs, 4)),
            (Parts{.on_cpu = 1 * kMs, .ready = 4 * kMs, .asleep = 15 * kMs}));
}

TEST(TimeAccount, NoMoreThanThereIs) {
  TimeAccount account;
  account.settle(Activity::asleep, turns(0, 0, 1), 0);
  EXPECT_EQ(account.divide(2 * kMs, Activity::asleep, turns(100 * kMs, 100 * kMs, 9)), (Parts{.on_cpu = 2 * kMs}));
  // Nor does an account that runs backwards make any.
  EXPECT_EQ(account.divide(2 * kMs, Activity::asleep, turns(~Nanoseconds{0}, ~Nanoseconds{0}, 9)),
            (Parts{.asleep = 2 * kMs}));
}

TEST(TimeAccount, ATurnThatHasJustBegunIsNotInTheAccountYet) {
  TimeAccount account;
  account.settle(Activity::asleep, turns(0, 0, 1), 0);
  EXPECT_EQ(account.divide(2 * kMs, Activity::on_cpu, turns(0, 0, 2)), (Parts{.on_cpu = 2 * kMs}));
  // But it would be after the next tick of the kernel.
  EXPECT_EQ(account.divide(20 * kMs, Activity::on_cpu, turns(0, 0, 2)), (Parts{.on_cpu = 4 * kMs, .asleep = 16 * kMs}));
}

TEST(TimeAccount, AWaitIsInTheAccountWhenItIsOver) {
  TimeAccount account;
  account.settle(Activity::ready, turns(0, 0, 1), 0);
  account.count(Activity::ready, 7 * kMs);
  account.settle(Activity::ready, turns(0, 0, 1), 0);
  EXPECT_EQ(account.divide(3 * kMs, Activity::ready, turns(0, 0, 1)), (Parts{.ready = 3 * kMs}));
  account.count(Activity::ready, 3 * kMs);
  EXPECT_EQ(account.uncounted_wait(turns(0, 10 * kMs, 2)), 0u);
  EXPECT_EQ(account.uncounted_wait(turns(0, 12 * kMs, 2)), 2 * kMs);
  account.move_to_ready(2 * kMs);
  EXPECT_EQ(account.uncounted_wait(turns(0, 12 * kMs, 2)), 0u);
}

TEST(TimeAccount, WhatPassedBeforeTheKernelWasAskedIsCountedYet) {
  TimeAccount account;
  account.settle(Activity::asleep, turns(0, 0, 1), 0);
  // The sample took 30 ms, because the thread had to wait for its turn, and is over before the next one.
  account.settle(Activity::on_cpu, turns(1 * kMs, 30 * kMs, 2), 30 * kMs);
  EXPECT_EQ(account.divide(31 * kMs, Activity::asleep, turns(1 * kMs, 30 * kMs, 2)),
            (Parts{.on_cpu = 1 * kMs, .ready = 30 * kMs}));
}

// A program that runs, waits and sleeps by chance, of which only a third of the ticks are met, most of them in its
// sleep: the sums are the program's own.
TEST(TimeAccount, SumsAreTheKernelsHoweverManyTicksAreMissed) {
  std::minstd_rand random(7);
  TimeAccount account;
  Nanoseconds truth[3] = {};
  Nanoseconds seen[3] = {};
  std::uint64_t slices = 1;
  target::TaskSchedstat now = turns(0, 0, slices);
  Nanoseconds unseen = 0;
  const auto see = [&](Activity activity, Nanoseconds time) {
    account.count(activity, time);
    seen[static_cast<int>(activity)] += time;
  };
  account.settle(Activity::asleep, now, 0);
  Activity doing = Activity::asleep;
  for (int ms = 0; ms < 100'000; ++ms) {
    const Activity before = doing;
    if (random() % 4 == 0) doing = static_cast<Activity>(random() % 3);
    if (before != doing) now.slices = ++slices;
    truth[static_cast<int>(doing)] += kMs;
    if (doing == Activity::on_cpu) now.run_time += kMs;
    if (doing == Activity::ready) now.wait_time += kMs;
    const bool is_met = random() % 10 < (doing == Activity::asleep ? 8 : 1);
    if (!is_met) {
      unseen += kMs;
      continue;
    }
    const Parts parts = account.divide(unseen, doing, now);
    see(Activity::on_cpu, parts.on_cpu);
    see(Activity::ready, parts.ready);
    see(Activity::asleep, parts.asleep);
    see(doing, kMs);
    account.settle(doing, now, 0);
    unseen = 0;
  }
  for (int activity = 0; activity < 3; ++activity) {
    EXPECT_NEAR(static_cast<double>(seen[activity]) / 1e6, static_cast<double>(truth[activity]) / 1e6, 200) << activity;
  }
}

}  // namespace
}  // namespace flametap::sampler
