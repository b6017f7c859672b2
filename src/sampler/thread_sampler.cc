#include "sampler/thread_sampler.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "sampler/still.h"

namespace flametap::sampler {
namespace {

using cpython::Reading;
using stack::Outcome;
using stack::Step;

constexpr Nanoseconds kMoment = 30'000;  // to leave a state that cannot be read, such as a frame that is half made
constexpr int kLearnAttempts = 3;
constexpr int kInterruptAttempts = 3;
constexpr int kMostRidesToLearn = 4096;
constexpr int kSettled = 1024;  // interrupts without anything new
constexpr int kRideAttempts = 6;
constexpr Nanoseconds kPauseTimeout = 200'000'000;  // on a machine with more to do than CPUs it takes its turn to stop
constexpr Nanoseconds kLongestReading = 100'000;
constexpr int kReadingsInOneGo = 5;
constexpr Nanoseconds kLongestSpin = 3'000;  // so that readings do not beat with a loop of the target
constexpr int kFreeReadingsOfAFastThread = 5;

constexpr Sampled kThreadEnded{.outcome = Outcome::no_frames, .gone = true};

bool is_verified(Reading reading) { return reading == Reading::verified || reading == Reading::no_frames; }
bool is_end(Reading reading) { return reading == Reading::gone || reading == Reading::denied; }

void spin(Nanoseconds duration) {
  const Nanoseconds start = monotonic_now();
  while (monotonic_now() - start < duration) {
  }
}

// Only the line of the innermost frame may differ.
bool same_stack(std::span<const cpython::CodeFrame> one, std::span<const cpython::CodeFrame> other) {
  if (one.size() != other.size()) return false;
  if (one.empty()) return true;
  return one.front().code == other.front().code && std::ranges::equal(one.subspan(1), other.subspan(1));
}

}  // namespace

ThreadSampler::ThreadSampler(std::unique_ptr<cpython::StackReader> reader, KernelView kernel, pid_t tid)
    : reader_(std::move(reader)), kernel_(std::move(kernel)), tid_(tid) {}

void ThreadSampler::warm_up() {
  for (int i = 0; i < kLearnAttempts && !is_verified(read_and_learn()); ++i) {
  }
}

Sampled ThreadSampler::sample(const Tools& tools) {
  rest_.sample(kernel_.schedstat, last_, [&] { return take(tools); });
  return last_;
}

Sampled ThreadSampler::take(const Tools& tools) {
  if (tools.native != nullptr) return take_both(tools);
  return take_python_alone(tools);
}

Sampled ThreadSampler::take_python_alone(const Tools& tools) {
  Sampled sampled = take_python(tools);
  if (!sampled.gone && !sampled.running && kernel_.syscall) {
    sampled.sleeps_on = kernel_.syscall->read_futex().value_or(0);
  }
  show_python(*reader_, frames_);
  return sampled;
}

// Its C stack, too.
Sampled ThreadSampler::take_both(const Tools& tools) {
  if (reader_->old()) reader_->learn();
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
  if (last_.running) {
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
  Sampled sampled = finish(reading, still == Still::asleep ? Step::free_running : Step::pause, still == Still::stopped);
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
  if (companions_.is_innermost()) return NativeProcess::Foreign{.outside = runs};
  if (runners > 1) return std::nullopt;
  return NativeProcess::Foreign{.inside = runs};
}

NativeProcess::Foreign ThreadSampler::anchored_inside() const {
  NativeProcess::Foreign foreign;
  if (reader_->runs().empty()) return foreign;
  const std::uint64_t ours = target::to_number(reader_->runs().front().anchor);
  for (const ThreadSampler* const other : companions_.others) {
    std::uint32_t begin = 0;
    for (const cpython::Run& run : other->reader().runs()) {
      const std::uint64_t theirs = target::to_number(run.anchor);
      // An empty run may be that of a frame which the interpreter keeps elsewhere.
      if (run.end > begin && theirs < ours) foreign.anchor = std::max(foreign.anchor, theirs);
      begin = run.end;
    }
  }
  return foreign;
}

Sampled ThreadSampler::take_python(const Tools& tools) {
  if (reader_->old()) reader_->learn();
  if (!kernel_.stat) {
    // Not to be followed to its CPU, and not known to be on one.
    return finish(read_again_and_again(tools), Step::free_running, false);
  }
  if (approach_.stand_still()) {
    // Of a thread that sleeps they would tell nothing.
    if (last_.running && approach_.trial_due()) try_free_readings(tools);
    return sample_standing_still(tools);
  }
  const Reading reading = read_freely(tools);
  approach_.note(is_verified(reading) || is_end(reading));
  if (!is_verified(reading) && !is_end(reading)) return sample_standing_still(tools);
  const std::optional<bool> running = runs_now();
  return running ? finish(reading, Step::free_running, *running) : kThreadEnded;
}

// Nothing if it has ended. A running thread's account grows when it leaves its CPU, and at the kernel's own ticks;
// while it has not grown, the thread is where it was. That is cheaper to ask than where it is.
std::optional<bool> ThreadSampler::runs_now() {
  std::optional<target::TaskSchedstat> before;
  if (kernel_.schedstat) before = kernel_.schedstat->read();
  if (running_since_ && before == running_since_) return true;
  running_since_.reset();
  const auto stat = kernel_.stat->read();
  if (!stat) return std::nullopt;
  last_cpu_ = stat->processor;
  if (is_running(*stat) && before && before->slices != 0) running_since_ = before;
  return is_running(*stat);
}

// From another CPU than the thread's, if there is one.
Reading ThreadSampler::read_freely(const Tools& tools) {
  tools.seat.keep_off(last_cpu_);
  // While we were put off our CPU in the middle of a reading, much may have happened that no part of it shows. That
  // has nothing to do with what the thread was at, so reading again is fair.
  for (int i = 0; i < kReadingsInOneGo; ++i) {
    const Nanoseconds start = monotonic_now();
    const Reading reading = reader_->read_running();
    if (monotonic_now() - start <= kLongestReading) return reading;
  }
  return Reading::moved;
}

// Of a thread that may be fast, that we may neither ride with nor pause.
Reading ThreadSampler::read_again_and_again(const Tools& tools) {
  (void)read_and_learn();
  const Reading first = read_freely(tools);
  if (!is_verified(first)) return first;
  first_frames_.assign(reader_->frames().begin(), reader_->frames().end());
  for (int i = 1; i < kFreeReadingsOfAFastThread; ++i) {
    spin(random_() % kLongestSpin);
    const Reading reading = read_freely(tools);
    if (!is_verified(reading)) return reading;
    if (reading != first || !same_stack(reader_->frames(), first_frames_)) return Reading::moved;
  }
  return first;
}

// Reads until the guess covers what the thread does, or until it is clear that it moves too fast for that.
Reading ThreadSampler::read_and_learn() {
  Reading reading = reader_->read();
  for (int i = 0; i < kLearnAttempts && (reading == Reading::unknown || reading == Reading::unmapped); ++i) {
    rides_due_ = std::max(rides_due_, rides_to_learn_);
    reader_->learn();
    reading = reader_->read();
  }
  return reading;
}

void ThreadSampler::try_free_readings(const Tools& tools) {
  const auto stat = kernel_.stat->read();
  if (!stat) return;
  last_cpu_ = stat->processor;
  // From its own CPU every reading would succeed, and while it waits for its turn.
  if (!tools.seat.keep_off(last_cpu_) || is_known_to_wait(tools)) return;
  std::uint32_t verified = 0;
  while (verified < Approach::kTrials && is_verified(read_freely(tools))) ++verified;
  if (verified < Approach::kTrials) {
    approach_.note(false);
    reader_->learn();
  } else if (!is_known_to_wait(tools)) {
    for (std::uint32_t i = 0; i < verified; ++i) approach_.note(true);
  }
}

// Ready to run, or not even that. Without an interrupt there is no telling.
bool ThreadSampler::is_known_to_wait(const Tools& tools) const {
  return tools.interrupter != nullptr && !tools.interrupter->read(last_cpu_, tid_, {});
}

Sampled ThreadSampler::sample_standing_still(const Tools& tools) {
  if (tools.interrupter != nullptr && last_.running && rides_due_ == 0) {
    if (const auto sampled = sample_interrupted(tools)) return *sampled;
  }
  if (rides_due_ > 0) --rides_due_;
  return sample_riding(tools);
}

// Nothing if it cannot be had so: that has nothing to do with what the thread was at, and another step is as fair.
std::optional<Sampled> ThreadSampler::sample_interrupted(const Tools& tools) {
  std::optional<target::TaskSchedstat> before;
  for (int i = 0; i < kInterruptAttempts; ++i) {
    if (last_cpu_ < 0 || !tools.seat.keep_off(last_cpu_)) return std::nullopt;
    target::InterruptedMemory memory(*tools.interrupter, last_cpu_, tid_);
    const Reading reading = reader_->read_instant(memory);
    if (is_verified(reading)) {
      if (++interrupts_in_a_row_ >= kSettled) rides_to_learn_ = kRidesToLearn;
      return finish(reading, Step::interrupt, true);
    }
    if (reading == Reading::moved) continue;  // met in the few instructions in which a frame is made or left
    if (reading != Reading::elsewhere) {
      // While we learn where it goes now, it would go on, and this sample is lost to a later moment. Riding along it
      // waits for us. A program that makes new functions all the time is not to lose a sample in each of them.
      rides_due_ = rides_to_learn_;
      rides_to_learn_ = std::min(2 * rides_to_learn_, kMostRidesToLearn);
      interrupts_in_a_row_ = 0;
      return std::nullopt;
    }
    if (before) return sample_waiting(*before);
    const auto stat = kernel_.stat->read();
    if (!stat) return kThreadEnded;
    if (!is_running(*stat)) return std::nullopt;
    if (stat->processor == last_cpu_ && kernel_.schedstat) before = kernel_.schedstat->read();
    last_cpu_ = stat->processor;
  }
  return std::nullopt;
}

// Of a thread that is ready to run, but was not running a moment ago: it waits for others, and stands still until its
// next turn. `before`: its turns before that moment.
std::optional<Sampled> ThreadSampler::sample_waiting(const target::TaskSchedstat& before) {
  const Reading reading = read_and_learn();
  const auto stat = kernel_.stat->read();
  if (!stat) return kThreadEnded;
  if (!is_verified(reading) || before.slices == 0 || kernel_.schedstat->read() != before) return std::nullopt;
  return finish(reading, Step::free_running, is_running(*stat));
}

Sampled ThreadSampler::sample_riding(const Tools& tools) {
  Reading last = Reading::moved;
  bool running = true;
  for (int i = 0; i < kRideAttempts; ++i) {
    if (i > 1) sleep_for(kMoment);
    if (!tools.seat.riding_on()) {
      const auto stat = kernel_.stat->read();
      if (!stat) return kThreadEnded;
      if (is_running(*stat) && !tools.seat.ride(stat->processor)) return sample_paused(tools);
    }
    const Reading reading = read_and_learn();
    // Asked after the reading, so that nothing lies between the moment when we took its CPU and the reading.
    const auto stat = kernel_.stat->read();
    if (!stat) return kThreadEnded;
    if (is_running(*stat) && tools.seat.riding_on() != stat->processor) {
      if (!tools.seat.ride(stat->processor)) return sample_paused(tools);
      continue;
    }
    last_cpu_ = stat->processor;
    if (is_verified(reading) || is_end(reading)) {
      return finish(reading, is_running(*stat) ? Step::ride_along : Step::free_running, is_running(*stat));
    }
    last = reading;
    running = is_running(*stat);
  }
  // To stop a thread that sleeps would not make it more readable, and could end its system call early.
  return running ? sample_paused(tools) : finish(last, Step::free_running, false);
}

// Reached only by a thread that is running.
Sampled ThreadSampler::sample_paused(const Tools& tools) {
  if (tools.pauser == nullptr) {
    return finish(read_again_and_again(tools), Step::free_running, true);
  }
  Reading reading = Reading::moved;
  for (int i = 0; i < kLearnAttempts; ++i) {
    if (i > 0) sleep_for(kMoment);
    const target::Pause pause = tools.pauser->stop(tid_, kPauseTimeout);
    if (pause.status() == target::PauseStatus::gone) return kThreadEnded;
    if (pause.status() == target::PauseStatus::timed_out) continue;  // it is still asked to stop
    if (!pause) break;
    reading = read_and_learn();
    if (is_verified(reading) || is_end(reading)) return finish(reading, Step::pause, true);
  }
  return finish(reading, Step::pause, true);
}

Sampled ThreadSampler::finish(Reading reading, Step step, bool running) const {
  Sampled sampled{.outcome = Outcome::torn, .step = step, .running = running, .gone = false};
  switch (reading) {
    case Reading::verified:
      sampled.outcome = reader_->truncated() ? Outcome::truncated : Outcome::complete;
      break;
    case Reading::no_frames:
      sampled.outcome = Outcome::no_frames;
      break;
    case Reading::moved:
      sampled.outcome = Outcome::torn;
      break;
    case Reading::unknown:
    case Reading::unmapped:
    case Reading::elsewhere:
      sampled.outcome = Outcome::unreadable;
      break;
    case Reading::gone:
    case Reading::denied:
      sampled.gone = true;
      break;
  }
  return sampled;
}

}  // namespace flametap::sampler
