#include "events/durations.h"

#include <gtest/gtest.h>

namespace flametap::events {
namespace {

TEST(Durations, PercentilesAreExactUpToAMillionAndNearlySoAfterwards) {
  Durations durations;
  for (Nanoseconds i = 1; i <= Durations::kMaxKept; ++i) durations.add(i * 1'000);
  EXPECT_TRUE(durations.is_exact());
  EXPECT_EQ(durations.percentile(50), 500'000'000U);
  EXPECT_EQ(durations.percentile(99), 990'000'000U);
  for (Nanoseconds i = 1; i <= Durations::kMaxKept; ++i) durations.add(i * 1'000);
  EXPECT_FALSE(durations.is_exact());
  EXPECT_NEAR(static_cast<double>(durations.percentile(50)), 5e8, 5e5);
  EXPECT_NEAR(static_cast<double>(durations.percentile(99)), 9.9e8, 9.9e5);
  EXPECT_EQ(durations.max(), 1'000'000'000U);
  EXPECT_EQ(durations.count(), 2'000'000U);
}

TEST(Durations, AnyDurationHasItsPlace) {
  for (const Nanoseconds value : {Nanoseconds{0}, Nanoseconds{1}, Nanoseconds{2047}, Nanoseconds{2048},
                                  Nanoseconds{4097}, Nanoseconds{123'456'789}, ~Nanoseconds{0} / 2, ~Nanoseconds{0}}) {
    Durations durations;
    for (std::size_t i = 0; i <= Durations::kMaxKept; ++i) durations.add(value);
    EXPECT_NEAR(static_cast<double>(durations.percentile(50)), static_cast<double>(value),
                static_cast<double>(value) * 0.001);
  }
}

}  // namespace
}  // namespace flametap::events
