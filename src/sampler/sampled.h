// Sampled: how one sample of one thread came about.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "stack/outcome.h"

namespace flametap::sampler {

struct Sampled {
  stack::Outcome outcome = stack::Outcome::torn;
  stack::Step step = stack::Step::free_running;
  bool running = false;         // on a CPU, or ready for one
  bool gone = false;            // the thread, or all of its process, is no more; or its memory is closed to us
  bool unchanged = false;       // it has not run since the last sample: everything is as it was
  std::uint64_t sleeps_on = 0;  // the word in its memory that it waits for, or 0
  // Where C stacks are asked for.
  bool unmerged = false;          // there is none, or it does not fit: Python only
  bool native_truncated = false;  // it goes on further out than we could follow
  bool guessed = false;           // a part of it was found by the frame pointer only
  Nanoseconds stopped = 0;        // for how long the thread was held at the most, if it was stopped
};

}  // namespace flametap::sampler
