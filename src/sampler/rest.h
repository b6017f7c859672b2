// Rest: whether a thread has not run since it was sampled. Then everything about it is as it was, and it need not be
// read again. The kernel's count of its turns on a CPU proves it.
#pragma once

#include <optional>

#include "sampler/sampled.h"
#include "stack/outcome.h"
#include "target/thread_stat.h"

namespace flametap::sampler {

class Rest {
 public:
  // `schedstat` may be missing; then nothing is ever known.
  using Schedstat = std::optional<target::ThreadSchedstat>;

  // Replaces `last` by a new sample, which `take` takes; not if the last one is of the same sleep.
  template <typename Take>
  void sample(const Schedstat& schedstat, Sampled& last, const Take& take) {
    std::optional<target::TaskSchedstat> before;
    if (asleep_since_) before = schedstat->read();
    if (sampled_in_it_ && has_lasted_until(before)) {
      last.unchanged = true;
      last.turns = before;
      return;
    }
    last = take();
    if (!last.turns && before && before->slices != 0) last.turns = before;
    asleep_since_.reset();
    if (last.gone || last.running()) return;
    if (schedstat) asleep_since_ = schedstat->read();
    if (asleep_since_ && asleep_since_->slices == 0) asleep_since_.reset();  // a kernel that does not count them
    last.turns = asleep_since_;
    const bool whole = last.outcome != stack::Outcome::torn && last.outcome != stack::Outcome::unreadable;
    sampled_in_it_ = whole && has_lasted_until(before);
  }

 private:
  // Of a thread that was running at the first look it would prove nothing: the kernel brings its account up to date
  // only now and then.
  [[nodiscard]] bool has_lasted_until(const std::optional<target::TaskSchedstat>& now) const {
    return now && asleep_since_ && *now == *asleep_since_;
  }

  std::optional<target::TaskSchedstat> asleep_since_;  // its turns when it was last found asleep
  bool sampled_in_it_ = false;                         // the last sample is of this sleep
};

}  // namespace flametap::sampler
