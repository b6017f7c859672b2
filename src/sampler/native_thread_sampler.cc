#include "sampler/native_thread_sampler.h"

#include <functional>

#include "sampler/still.h"

namespace flametap::sampler {

using stack::Outcome;
using stack::Step;

Sampled NativeThreadSampler::sample(const Tools& tools) {
  rest_.sample(kernel_.schedstat, last_, [&] { return take(tools); });
  if (!last_.gone && last_.running()) last_.turns = turns_of(kernel_);
  return last_;
}

Sampled NativeThreadSampler::take(const Tools& tools) {
  NativeProcess& native = tools.native;
  frames_.clear();
  visit_.reset();
  bool captured = false;
  Nanoseconds stopped = 0;
  const auto look = [&](const target::TaskSyscall* asleep_in) {
    captured = native.capture(tid_, asleep_in);
    if (native.captured_ident() != 0) ident_ = native.captured_ident();
    visit_ = tools.find_visit(ident_, target::kNull);
  };
  const Still still = look_while_still({kernel_, tools.pauser, tid_, stopped}, std::cref(look));
  if (still == Still::gone) return {.outcome = Outcome::no_frames, .gone = true};
  const bool runs = still != Still::asleep && still != Still::held;
  Sampled sampled{.outcome = Outcome::unreadable,
                  .step = still == Still::asleep ? Step::free_running : Step::pause,
                  .activity = runs ? Activity::on_cpu : Activity::asleep,
                  .may_be_ready = runs};
  if (!captured || !is_still(still)) return sampled;
  native.unwind();
  sampled.unmerged = visit_ ? !native.merge(*visit_->reader, {}, frames_) : !native.show(frames_);
  if (visit_ && sampled.unmerged) show_python(*visit_->reader, frames_);
  sampled.stopped = stopped;
  sampled.outcome = frames_.empty() ? Outcome::no_frames : Outcome::complete;
  sampled.native_truncated = native.truncated() || native.lost();
  sampled.guessed = native.guessed();
  return sampled;
}

}  // namespace flametap::sampler
