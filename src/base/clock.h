// Time as a number of nanoseconds, the one unit of time inside flametap.
#pragma once

#include <cstdint>
#include <ctime>

namespace flametap {

using Nanoseconds = std::uint64_t;

inline constexpr Nanoseconds kSecond = 1'000'000'000;

[[nodiscard]] inline Nanoseconds monotonic_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<Nanoseconds>(now.tv_sec) * kSecond + static_cast<Nanoseconds>(now.tv_nsec);
}

// Since the epoch; for people and files, since it may jump.
[[nodiscard]] inline Nanoseconds unix_now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<Nanoseconds>(now.tv_sec) * kSecond + static_cast<Nanoseconds>(now.tv_nsec);
}

// A signal may end it early.
inline void sleep_for(Nanoseconds time) {
  const timespec pause{static_cast<time_t>(time / kSecond), static_cast<long>(time % kSecond)};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
}

// Without leaving the CPU, for times too short to sleep.
inline void spin_for(Nanoseconds time) {
  const Nanoseconds start = monotonic_now();
  while (monotonic_now() - start < time) {
  }
}

}  // namespace flametap
