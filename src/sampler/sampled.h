// Sampled: how one sample of one thread came about.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "stack/outcome.h"
#include "target/thread_stat.h"

namespace flametap::sampler {

enum class Activity : std::uint8_t {
  asleep,
  ready,  // to run, but it waits for a CPU
  on_cpu,
};

struct Sampled {
  stack::Outcome outcome = stack::Outcome::torn;
  stack::Step step = stack::Step::free_running;
  Activity activity = Activity::asleep;
  bool may_be_ready = false;    // it is said to be on a CPU, but nobody could tell
  bool gone = false;            // the thread, or all of its process, is no more; or its memory is closed to us
  bool unchanged = false;       // it has not run since the last sample: everything is as it was
  bool dormant = false;         // another Python thread of the same thread of the system is the one at work
  std::uint64_t sleeps_on = 0;  // the word in its memory that it waits for, or 0
  // What the kernel counts of its turns, right after the sample, if that was asked for or is known anyway.
  std::optional<target::TaskSchedstat> turns = {};
  // Where C stacks are asked for.
  bool unmerged = false;          // there is none, or it does not fit: Python only
  bool python_only = false;       // it waited for a CPU: to stop it would have taken until its turn
  bool native_truncated = false;  // it goes on further out than we could follow
  bool guessed = false;           // a part of it was found by the frame pointer only
  Nanoseconds stopped = 0;        // for how long the thread was held at the most, if it was stopped

  [[nodiscard]] bool running() const { return activity != Activity::asleep; }
};

}  // namespace flametap::sampler
