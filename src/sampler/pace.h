// How a loop that samples waits. For the thread that samples.
#pragma once

#include "base/clock.h"

namespace flametap::sampler {

inline constexpr Nanoseconds kLongestSleep = 50'000'000;  // so that a wish to stop is seen soon

// Allows as many open files and as exact a timer as sampling needs. To be called when no command is started any more,
// which would inherit it.
void prepare_to_sample();

// Sleeps towards an absolute deadline, but never longer than kLongestSleep. A signal may end it early.
void sleep_towards(Nanoseconds deadline);

}  // namespace flametap::sampler
