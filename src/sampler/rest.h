// Rest: whether a thread has not run since it was sampled. Then everything about it is as it was, and it need not be
// read again. The kernel's count of its turns on a CPU proves it.
#pragma once

#include <optional>

#include "target/thread_stat.h"

namespace flametap::sampler {

class Rest {
 public:
  // `schedstat` may be missing; then nothing is ever known.
  using Schedstat = std::optional<target::ThreadSchedstat>;

  // To be asked right before a sample. True: it sleeps as it did when it was last sampled.
  [[nodiscard]] bool lasts(const Schedstat& schedstat) {
    before_.reset();
    if (asleep_since_) before_ = schedstat->read();
    return sampled_in_it_ && has_lasted_until(before_);
  }

  // To be told right after a sample of a thread that ran, or of one whose reading failed.
  void is_over() { asleep_since_.reset(); }

  // To be told right after a sample of a thread that was found asleep; `whole`: the sample can stand for the next ones.
  void goes_on(const Schedstat& schedstat, bool whole) {
    asleep_since_.reset();
    if (schedstat) asleep_since_ = schedstat->read();
    if (asleep_since_ && asleep_since_->slices == 0) asleep_since_.reset();  // a kernel that does not count them
    sampled_in_it_ = whole && has_lasted_until(before_);
  }

 private:
  // Of a thread that was running at the first look it would prove nothing: the kernel brings its account up to date
  // only now and then.
  [[nodiscard]] bool has_lasted_until(const std::optional<target::TaskSchedstat>& now) const {
    return now && asleep_since_ && *now == *asleep_since_;
  }

  std::optional<target::TaskSchedstat> before_;        // its turns right before this sample
  std::optional<target::TaskSchedstat> asleep_since_;  // its turns when it was last found asleep
  bool sampled_in_it_ = false;                         // the last sample is of this sleep
};

}  // namespace flametap::sampler
