#include "sampler/native_thread_sampler.h"

#include "sampler/still.h"

namespace flametap::sampler {

using stack::Outcome;
using stack::Step;

Sampled NativeThreadSampler::sample(NativeProcess& native, target::Pauser* pauser) {
  if (rest_.lasts(kernel_.schedstat)) {
    last_.unchanged = true;
    return last_;
  }
  last_ = take(native, pauser);
  if (last_.gone || last_.running) {
    rest_.is_over();
  } else {
    rest_.goes_on(kernel_.schedstat, last_.outcome == Outcome::complete);
  }
  return last_;
}

Sampled NativeThreadSampler::take(NativeProcess& native, target::Pauser* pauser) {
  frames_.clear();
  bool captured = false;
  const Still still = look_while_still(
      kernel_, pauser, tid_, [&](const target::TaskSyscall* asleep_in) { captured = native.capture(tid_, asleep_in); });
  if (still == Still::gone) return {.outcome = Outcome::no_frames, .gone = true};
  const bool is_asleep = still == Still::asleep;
  const bool is_stopped = still == Still::stopped;
  Sampled sampled{
      .outcome = Outcome::unreadable, .step = is_stopped ? Step::pause : Step::free_running, .running = !is_asleep};
  if (!captured || (!is_asleep && !is_stopped)) return sampled;
  native.unwind();
  native.show(frames_);
  sampled.outcome = frames_.empty() ? Outcome::no_frames : Outcome::complete;
  sampled.native_truncated = native.truncated() || native.lost();
  sampled.guessed = native.guessed();
  return sampled;
}

}  // namespace flametap::sampler
