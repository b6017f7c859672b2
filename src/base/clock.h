// Monotonic time as a number of nanoseconds, the one unit of time inside flametap.
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

}  // namespace flametap
