// The half of ThreadSampler that takes C stacks, too.
#include <algorithm>
#include <functional>
#include <utility>

#include "sampler/still.h"
#include "sampler/thread_sampler.h"

namespace flametap::sampler {

using cpython::Reading;
using stack::Outcome;
using stack::Step;

Sampled ThreadSampler::take_both(const Tools& tools) {
  learn_if_due(tools);
  Reading reading = Reading::moved;
  bool captured = false;
  std::uint64_t sleeps_on = 0;
  moved_to_.reset();
  const auto look = [&](const target::TaskSyscall* asleep_in) {
    // What it waits for is of the same instant as its stack, too.
    sleeps_on = asleep_in != nullptr ? target::futex_of(*asleep_in).value_or(0) : 0;
    captured = tools.native->capture(tid_, asleep_in);
    reading = read_and_learn();
    if (auto visit = tools.find_visit(tools.native->captured_ident(), reader_->thread())) {
      reader_ = std::move(visit->reader);
      moved_to_ = visit->python;
      reading = reader_->frames().empty() ? Reading::no_frames : Reading::verified;
    }
    for (ThreadSampler* const other : companions_.others) (void)other->read_and_learn();
  };
  std::optional<Doing> doing;
  if (last_.running()) doing = doing_now(tools);
  if (doing && doing->activity == Activity::ready && awake_since_) {
    // It would stop only when it has its turn, and lose that. It stands still, and is read as it is.
    if (auto sampled = sample_waiting(awake_since_->turns)) {
      sampled->python_only = true;
      show_python(*reader_, frames_);
      return *sampled;
    }
  }
  if (last_.running()) {
    // After a rest everything is slow at first. It had better be so before the thread is stopped.
    (void)reader_->read();
    tools.native->rehearse();
  }
  Nanoseconds stopped = 0;
  Still still = look_while_still({kernel_, tools.pauser, tid_, stopped}, std::cref(look));
  for (int i = 1; i < kLearnAttempts && still == Still::stopped && !is_verified(reading) && !is_end(reading); ++i) {
    sleep_for(kMoment);
    still = look_while_still({kernel_, tools.pauser, tid_, stopped}, std::cref(look));
  }
  if (still == Still::gone) return kThreadEnded;
  if (!is_still(still) || (!is_verified(reading) && !is_end(reading))) {
    // What Python says can still be had by other means; or not, and then it is counted.
    Sampled sampled = take_python_alone(tools);
    sampled.unmerged = sampled.outcome == Outcome::complete || sampled.outcome == Outcome::truncated;
    return sampled;
  }
  const Doing stopped_at = doing && doing->activity != Activity::asleep ? *doing : Doing{Activity::on_cpu, true};
  Sampled sampled = finish(reading, still == Still::asleep ? Step::free_running : Step::pause,
                           still == Still::stopped ? stopped_at : Doing{});
  if (sampled.gone) return sampled;
  sampled.stopped = stopped;
  sampled.sleeps_on = sleeps_on;
  sampled.unmerged = !captured;
  if (captured) merge(*tools.native, sampled);
  if (sampled.unmerged) show_python(*reader_, frames_);
  return sampled;
}

void ThreadSampler::merge(NativeProcess& native, Sampled& sampled) {
  // Where it shares its C stack, but has no frames of Python, what lies there is the others'.
  if (sampled.outcome == Outcome::no_frames && !companions_.others.empty()) {
    frames_.clear();
    return;
  }
  native.unwind();
  const auto foreign = native.counts_runs() ? foreign_runs() : std::optional(anchored_inside());
  sampled.unmerged = !foreign || !native.merge(*reader_, *foreign, frames_);
  if (sampled.unmerged) return;
  if (sampled.outcome == Outcome::no_frames && !frames_.empty()) sampled.outcome = Outcome::complete;
  sampled.native_truncated = native.truncated() || native.lost();
  sampled.guessed = native.guessed();
}

// Nothing: it cannot be told in which order they lie.
std::optional<NativeProcess::Foreign> ThreadSampler::foreign_runs() const {
  std::size_t runs = 0;
  std::size_t runners = 0;
  for (const ThreadSampler* const other : companions_.others) {
    runs += other->reader().runs().size();
    runners += other->reader().runs().empty() ? 0 : 1;
  }
  if (runs == 0) return NativeProcess::Foreign{};
  if (companions_.is_innermost()) return NativeProcess::Foreign{.any = true, .outside = runs};
  if (runners > 1) return std::nullopt;
  return NativeProcess::Foreign{.any = true, .inside = runs};
}

NativeProcess::Foreign ThreadSampler::anchored_inside() const {
  NativeProcess::Foreign foreign;
  if (reader_->runs().empty()) return foreign;
  const std::uint64_t ours = target::to_number(reader_->runs().front().anchor);
  for (const ThreadSampler* const other : companions_.others) {
    std::uint32_t begin = 0;
    foreign.any = foreign.any || !other->reader().runs().empty();
    for (const cpython::Run& run : other->reader().runs()) {
      const std::uint64_t theirs = target::to_number(run.anchor);
      // An empty run may be that of a frame which the interpreter keeps elsewhere.
      if (run.end > begin && theirs < ours) foreign.anchor = std::max(foreign.anchor, theirs);
      begin = run.end;
    }
  }
  return foreign;
}

}  // namespace flametap::sampler
