#include "sampler/pace.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>

namespace flametap::sampler {

void prepare_to_sample() {
  prctl(PR_SET_TIMERSLACK, 1);  // wake up when the deadline says, not up to 50 µs later
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;  // a file of /proc is kept open for every thread
  setrlimit(RLIMIT_NOFILE, &limit);
}

void sleep_towards(Nanoseconds deadline) {
  const Nanoseconds until = std::min(deadline, monotonic_now() + kLongestSleep);
  const timespec when{static_cast<time_t>(until / kSecond), static_cast<long>(until % kSecond)};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, nullptr);
}

}  // namespace flametap::sampler
