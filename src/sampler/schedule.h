// Schedule: when to sample. Time is cut into slots of one interval; each slot has one tick at a random moment in it, so
// that a program with a rhythm of its own does not beat against ours. Deadlines are absolute: being late does not add
// up.
#pragma once

#include <cstdint>
#include <random>

#include "base/clock.h"

namespace flametap::sampler {

class Schedule {
 public:
  struct Tick {
    Nanoseconds deadline;
    Nanoseconds weight;    // the time that its samples stand for, the missed slots included
    std::uint64_t missed;  // slots before it that passed without a tick
  };

  // `rate_hz` 0 means as fast as possible.
  Schedule(double rate_hz, Nanoseconds start, std::uint64_t seed);

  // The next tick, to be asked for after the last one is done with.
  [[nodiscard]] Tick next(Nanoseconds now);
  // How many ticks have passed since, that one included, if nobody attended to it.
  [[nodiscard]] std::uint64_t passed(const Tick& tick, Nanoseconds now) const;

 private:
  double interval_;
  Nanoseconds start_;
  Nanoseconds last_tick_;  // used only as fast as possible
  std::uint64_t next_slot_ = 0;
  std::minstd_rand random_;
};

}  // namespace flametap::sampler
