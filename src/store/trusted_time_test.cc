#include "store/trusted_time.h"

#include <gtest/gtest.h>

namespace flametap::store {
namespace {

constexpr Nanoseconds kStart = 1'700'000'000 * kSecond;
constexpr Nanoseconds kHour = 3600 * kSecond;
constexpr Nanoseconds kYear = 365 * kDay;
constexpr std::optional<Nanoseconds> kOff = std::nullopt;  // the server was off in between

TrustedTime at_start() { return after({}, kStart, kOff); }

TEST(TrustedTime, IsTheClockThatGoesOn) {
  EXPECT_EQ(at_start(), (TrustedTime{.seen = kStart, .trusted = kStart}));
  EXPECT_EQ(after(at_start(), kStart + kDay, kOff).trusted, kStart + kDay);
  EXPECT_EQ(after(at_start(), kStart + kYear, kYear).trusted, kStart + kYear);
  EXPECT_EQ(after(at_start(), kStart - kYear, kOff).trusted, kStart - kYear);
}

TEST(TrustedTime, StaysWhereItWasWhenTheClockJumps) {
  for (const auto passed : {kOff, std::optional(kHour)}) {
    TrustedTime time = after(at_start(), kStart + kYear, passed);
    EXPECT_EQ(time, (TrustedTime{.seen = kStart + kYear, .trusted = kStart, .doubted_since = kStart + kYear}));
    time = after(time, kStart + kYear + kHour, kHour);
    EXPECT_EQ(time.trusted, kStart);
    time = after(time, kStart + kYear + kHour - kSecond, 0);  // corrected by a second
    EXPECT_EQ(time.trusted, kStart);
  }
}

TEST(TrustedTime, AClockHasProvedRightAfterADay) {
  const TrustedTime jumped = after(at_start(), kStart + kYear, kOff);
  for (const auto passed : {kOff, std::optional(kDay)}) {
    const TrustedTime time = after(jumped, kStart + kYear + kDay, passed);
    EXPECT_EQ(time, (TrustedTime{.seen = kStart + kYear + kDay, .trusted = kStart + kYear + kDay}));
  }
  EXPECT_EQ(after(jumped, kStart + kYear + 5 * kDay, 5 * kDay).doubted_since, 0U);
}

TEST(TrustedTime, AServerThatRunsOnceAWeekIsOneRunBehind) {
  TrustedTime time = at_start();
  for (Nanoseconds week = 1; week < 5; ++week) {
    time = after(time, kStart + week * 7 * kDay, kOff);
    EXPECT_EQ(time.trusted, kStart + (week - 1) * 7 * kDay);
  }
}

TEST(TrustedTime, AClockThatGoesBackWasWrong) {
  const TrustedTime jumped = after(at_start(), kStart + kYear, kHour);
  EXPECT_EQ(after(jumped, kStart + kHour, kOff), (TrustedTime{.seen = kStart + kHour, .trusted = kStart + kHour}));
  EXPECT_EQ(after(jumped, kStart + 9 * kDay, kOff),
            (TrustedTime{.seen = kStart + 9 * kDay, .trusted = kStart, .doubted_since = kStart + 9 * kDay}));
}

TEST(TrustedTime, ASecondJumpProvesNothing) {
  const TrustedTime jumped = after(at_start(), kStart + kYear, kHour);
  const TrustedTime again = after(jumped, kStart + 2 * kYear, kHour);
  EXPECT_EQ(again.trusted, kStart);
  EXPECT_EQ(after(again, kStart + 2 * kYear + kHour, kHour).trusted, kStart);
}

}  // namespace
}  // namespace flametap::store
