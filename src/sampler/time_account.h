// TimeAccount: what a thread did in time that no sample covers, by the kernel's account of it. The kernel says how long
// the thread ran and how long it waited for a CPU; what samples cover is taken off, and the rest is what they missed.
//
// The account lags behind: of a thread that runs it is brought up to date at the kernel's own ticks and when it leaves
// its CPU; a wait is added when it is over.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "sampler/sampled.h"
#include "target/thread_stat.h"

namespace flametap::sampler {

class TimeAccount {
 public:
  struct Parts {
    Nanoseconds on_cpu = 0;
    Nanoseconds ready = 0;
    Nanoseconds asleep = 0;
    bool operator==(const Parts&) const = default;
  };

  // Of the time between the last sample and this one, of which it is not known what the thread did, how much was what.
  // `now`: what the thread does at this sample; `turns`: what the kernel says of it then.
  [[nodiscard]] Parts divide(Nanoseconds unseen, Activity now, const std::optional<target::TaskSchedstat>& turns) const;
  // What comes next is not to be compared with what was before.
  void forget() { *this = {}; }
  // Time that is covered: by a sample, or because it was divided.
  void count(Activity activity, Nanoseconds time);
  // How much of what was counted as on a CPU was a wait for one, as the kernel says now.
  [[nodiscard]] Nanoseconds uncounted_wait(const target::TaskSchedstat& turns) const;
  void move_to_ready(Nanoseconds time);
  // Takes this as the beginning of what is compared. What was counted too much or too little is kept, within limits, to
  // be made up for in time to come. `behind`: how much later than the end of what is counted the kernel was asked.
  void settle(Activity now, const target::TaskSchedstat& turns, Nanoseconds behind);

 private:
  using Difference = std::int64_t;

  [[nodiscard]] Difference uncounted_run(const target::TaskSchedstat& turns) const;
  [[nodiscard]] Difference uncounted_ready(const target::TaskSchedstat& turns) const;

  std::optional<target::TaskSchedstat> since_;
  Activity last_ = Activity::asleep;
  Difference on_cpu_ = 0;  // counted since then
  Difference ready_ = 0;
};

}  // namespace flametap::sampler
