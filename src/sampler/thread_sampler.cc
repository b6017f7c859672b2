#include "sampler/thread_sampler.h"

#include <algorithm>
#include <utility>

#include "sampler/still.h"

namespace flametap::sampler {
namespace {

using cpython::Reading;
using stack::Outcome;
using stack::Step;

constexpr int kInterruptAttempts = 3;
constexpr int kRidesToLearn = 64;  // after something new was met that could not be followed
constexpr int kRideAttempts = 6;
constexpr int kPauseAttempts = 6;
constexpr Nanoseconds kLongestReading = 100'000;
constexpr Nanoseconds kLongestTrial = 25'000;  // with what comes before a sample; most are much shorter
// So few that the thread seldom stops running meanwhile, on a crowded machine as well.
constexpr std::uint32_t kTrialsThatCount = 8;
static_assert(Approach::kTrials % kTrialsThatCount == 0);
constexpr int kReadingsInOneGo = 5;
constexpr Nanoseconds kLongestTick = 10'000'000;  // of a kernel that ticks 100 times a second
constexpr Nanoseconds kLongestSpin = 3'000;       // so that readings do not beat with a loop of the target
constexpr int kFreeReadingsOfAFastThread = 5;

bool is_time_for_a_trial(Nanoseconds until) { return monotonic_now() + kLongestTrial <= until; }

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
  turns_.reset();
  rest_.sample(kernel_.schedstat, last_, [&] { return take(tools); });
  if (!last_.turns) last_.turns = turns_;
  if (!last_.gone && !last_.turns && (tools.wants_turns || last_.may_be_ready)) last_.turns = turns_of(kernel_);
  return last_;
}

Sampled ThreadSampler::take(const Tools& tools) {
  // Its memory may be another thread's by now.
  if (kernel_.has_ended) return kThreadEnded;
  if (tools.native != nullptr) return take_both(tools);
  return take_python_alone(tools);
}

Sampled ThreadSampler::take_python_alone(const Tools& tools) {
  Sampled sampled = take_python(tools);
  if (!sampled.gone && !sampled.running() && kernel_.syscall) {
    sampled.sleeps_on = kernel_.syscall->read_futex().value_or(0);
  }
  show_python(*reader_, frames_);
  return sampled;
}

Sampled ThreadSampler::take_python(const Tools& tools) {
  learn_if_due(tools);
  if (!kernel_.stat) {
    // Not to be followed to its CPU, and not known to be on one.
    return finish(read_again_and_again(tools), Step::free_running, {});
  }
  if (approach_.stand_still()) return sample_standing_still(tools);
  const Reading reading = read_freely(tools);
  approach_.note(is_verified(reading) || is_end(reading));
  if (!is_verified(reading) && !is_end(reading)) return sample_standing_still(tools);
  const std::optional<Doing> doing = doing_now(tools);
  return doing ? finish(reading, Step::free_running, *doing) : kThreadEnded;
}

// Nothing if it has ended. A running thread's account grows when it leaves its CPU, and at the kernel's own ticks; that
// of one that is ready, when it gets its turn. While it has not grown, the thread does what it did. That is cheaper to
// ask than what that is.
std::optional<ThreadSampler::Doing> ThreadSampler::doing_now(const Tools& tools) {
  const auto before = turns_ = turns_of(kernel_);
  if (awake_since_ && before == awake_since_->turns) {
    if (awake_since_->doing.may_be_ready && monotonic_now() > awake_since_->time + kLongestTick) {
      awake_since_->doing = {Activity::ready};
    }
    return awake_since_->doing;
  }
  awake_since_.reset();
  const auto stat = kernel_.stat->read();
  if (!stat) return std::nullopt;
  last_cpu_ = stat->processor;
  if (!is_running(*stat)) return Doing{Activity::asleep};
  Doing doing{Activity::on_cpu, true};
  if (tools.interrupter != nullptr && tools.seat.keep_off(last_cpu_)) {
    doing = {is_known_to_wait(tools) ? Activity::ready : Activity::on_cpu};
  }
  if (before) awake_since_ = {*before, doing, monotonic_now()};
  return doing;
}

// From another CPU than the thread's, if there is one.
Reading ThreadSampler::read_freely(const Tools& tools) {
  tools.seat.keep_off(last_cpu_);
  // While we were put off our CPU in the middle of a reading, much may have happened that no part of it shows. That
  // has nothing to do with what the thread was at, so reading again is fair.
  for (int i = 0; i < kReadingsInOneGo; ++i) {
    if (const auto reading = read_in_one_go()) return *reading;
  }
  return Reading::moved;
}

// Nothing if it took too long.
std::optional<Reading> ThreadSampler::read_in_one_go() {
  const Nanoseconds start = monotonic_now();
  const Reading reading = reader_->read_running();
  if (monotonic_now() - start > kLongestReading) return std::nullopt;
  return reading;
}

// Of a thread that may be fast, that we may neither ride with nor pause.
Reading ThreadSampler::read_again_and_again(const Tools& tools) {
  (void)read_and_learn();
  Reading first = read_freely(tools);
  if (first == Reading::unknown) {
    reader_->learn();
    first = read_freely(tools);
  }
  if (!is_verified(first)) return first;
  first_frames_.assign(reader_->frames().begin(), reader_->frames().end());
  for (int i = 1; i < kFreeReadingsOfAFastThread; ++i) {
    spin_for(random_() % kLongestSpin);
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
    following_.met_something_new();
    reading = reader_->learn_and_read();
  }
  return reading;
}

// Not on the thread's own CPU, where it would have to wait for that.
void ThreadSampler::learn_if_due(const Tools& tools) {
  if (!reader_->old()) return;
  tools.seat.keep_off(last_cpu_);
  reader_->learn();
}

void ThreadSampler::try_free_readings(const Tools& tools, Nanoseconds until) {
  // Of a thread that sleeps they would tell nothing. Where it has companions, what was last read is still needed, to
  // tell which of them is at work.
  if (!kernel_.stat || !approach_.stand_still() || !last_.running() || !companions_.others.empty()) return;
  if (!is_time_for_a_trial(until)) return;
  // While it waits for its turn every reading would succeed. A trial that is due stays so until it runs.
  const bool was_met_waiting = tools.interrupter != nullptr && last_.step != Step::interrupt;
  if (was_met_waiting) {
    trials_ = 0;
    return;
  }
  if (trials_ == 0) {
    if (!approach_.trial_due()) return;
    const auto stat = kernel_.stat->read();
    if (!stat) return;
    last_cpu_ = stat->processor;
  }
  // From its own CPU as well.
  if (!tools.seat.keep_off(last_cpu_)) {
    trials_ = 0;
    return;
  }
  while (trials_ < Approach::kTrials) {
    if (!is_time_for_a_trial(until)) return;  // the round goes on after the next sample
    const auto reading = read_in_one_go();
    if (!reading || !is_verified(*reading)) return end_trials(reading);
    if (++trials_ % kTrialsThatCount == 0 && !count_trials(tools)) return;
  }
  trials_ = 0;
}

// With a reading that was not verified.
void ThreadSampler::end_trials(std::optional<Reading> last) {
  trials_ = 0;
  if (!last) {
    // We lost our CPU meanwhile, which has nothing to do with what the thread was at; or its stack is too deep.
    approach_.put_off();
    return;
  }
  approach_.note(false);
  if (last == Reading::unknown || last == Reading::unmapped) reader_->learn();
}

// False: the last ones say nothing, it was waiting for its turn.
bool ThreadSampler::count_trials(const Tools& tools) {
  if (is_known_to_wait(tools)) {
    trials_ = 0;
    return false;
  }
  for (std::uint32_t i = 0; i < kTrialsThatCount; ++i) approach_.note(true);
  return true;
}

// Ready to run, or not even that. Without an interrupt there is no telling.
bool ThreadSampler::is_known_to_wait(const Tools& tools) const {
  return tools.interrupter != nullptr && !tools.interrupter->read(last_cpu_, tid_, {});
}

Sampled ThreadSampler::sample_standing_still(const Tools& tools) {
  if (tools.interrupter != nullptr && rides_due_ == 0 && is_awake()) {
    if (const auto sampled = sample_interrupted(tools)) return *sampled;
  }
  if (rides_due_ > 0) --rides_due_;
  return sample_riding(tools);
}

// One that slept at the last sample may have woken up since.
bool ThreadSampler::is_awake() {
  if (last_.running()) return true;
  const auto stat = kernel_.stat->read();
  if (!stat || !is_running(*stat)) return false;
  last_cpu_ = stat->processor;
  return true;
}

// Nothing if it cannot be had so: that has nothing to do with what the thread was at, and another step is as fair.
std::optional<Sampled> ThreadSampler::sample_interrupted(const Tools& tools) {
  std::optional<target::TaskSchedstat> before;
  for (int i = 0; i < kInterruptAttempts; ++i) {
    if (last_cpu_ < 0 || !tools.seat.keep_off(last_cpu_)) return std::nullopt;
    const std::optional<target::Trail> trail = trail_to_follow();
    target::InterruptedMemory memory(*tools.interrupter, last_cpu_, tid_, trail ? &*trail : nullptr);
    Reading reading = reader_->read_instant(memory, trail ? &tools.interrupter->followed() : nullptr);
    if (reading == Reading::unknown) {
      following_.met_something_new();
      reading = reader_->complete();
    }
    const bool followed = trail && trail->steps > 0;
    if (followed && is_verified(reading)) following_.followed(tools.interrupter->steps_used());
    if (is_verified(reading)) return finish(reading, Step::interrupt, {Activity::on_cpu});
    if (reading == Reading::moved) continue;  // met in the few instructions in which a frame is made or left
    if (reading != Reading::elsewhere) {
      // While we learn where it goes now, it would go on, and this sample is lost to a later moment. Riding along it
      // waits for us. If it was followed as far as can be and that was not enough, it may be so again soon.
      if (followed && reading == Reading::unknown && !following_.go_further()) rides_due_ = kRidesToLearn;
      return std::nullopt;
    }
    if (before) return sample_waiting(*before);
    const auto stat = kernel_.stat->read();
    if (!stat) return kThreadEnded;
    if (!is_running(*stat)) return std::nullopt;
    if (stat->processor == last_cpu_) before = turns_of(kernel_);
    last_cpu_ = stat->processor;
  }
  return std::nullopt;
}

// At least to where the innermost frame is written, if that is not always at the same place.
std::optional<target::Trail> ThreadSampler::trail_to_follow() const {
  std::optional<target::Trail> trail = reader_->trail();
  if (!trail) return trail;
  trail->steps = following_.is_due() ? following_.steps() : 0;
  if (trail->steps == 0 && !trail->link_inside) return std::nullopt;
  return trail;
}

// Of a thread that is ready to run, but was not running a moment ago: it waits for others, and stands still until its
// next turn. `before`: its turns before that moment.
std::optional<Sampled> ThreadSampler::sample_waiting(const target::TaskSchedstat& before) {
  const Reading reading = read_and_learn();
  const auto stat = kernel_.stat->read();
  if (!stat) return kThreadEnded;
  if (!is_verified(reading) || stat->processor != last_cpu_ || turns_of(kernel_) != before) return std::nullopt;
  turns_ = before;
  return finish(reading, Step::free_running, {is_running(*stat) ? Activity::ready : Activity::asleep});
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
    const auto before = turns_of(kernel_);
    const Reading reading = read_and_learn();
    // Asked after the reading, so that nothing lies between the moment when we took its CPU and the reading.
    const auto stat = kernel_.stat->read();
    if (!stat) return kThreadEnded;
    if (is_running(*stat) && tools.seat.riding_on() != stat->processor) {
      if (!tools.seat.ride(stat->processor)) return sample_paused(tools);
      continue;
    }
    last_cpu_ = stat->processor;
    running = is_running(*stat);
    // Where we were put off the CPU in the middle of the reading, it may have had its turn.
    if (!before && running) break;
    if (turns_of(kernel_) != before) {
      last = Reading::moved;
      continue;
    }
    if (is_verified(reading) || is_end(reading)) {
      turns_ = before;
      if (!running) return finish(reading, Step::free_running, {});
      // What has not run since the last sample was not put off its CPU by us.
      const bool waits = before == std::exchange(last_turns_, before);
      return finish(reading, Step::ride_along, waits ? Doing{Activity::ready} : Doing{Activity::on_cpu, true});
    }
    last = reading;
  }
  // To stop a thread that sleeps would not make it more readable, and could end its system call early.
  return running ? sample_paused(tools) : finish(last, Step::free_running, {});
}

// Reached only by a thread that is running.
Sampled ThreadSampler::sample_paused(const Tools& tools) {
  if (tools.pauser == nullptr) {
    return finish(read_again_and_again(tools), Step::free_running, {Activity::on_cpu, true});
  }
  Reading reading = Reading::moved;
  for (int i = 0; i < kPauseAttempts; ++i) {
    if (i > 0) sleep_for(kMoment);
    const target::Pause pause = tools.pauser->stop(tid_, kPauseTimeout);
    if (pause.status() == target::PauseStatus::gone) return kThreadEnded;
    if (pause.status() == target::PauseStatus::timed_out) continue;  // it is still asked to stop
    if (!pause) break;
    reading = read_and_learn();
    if (is_verified(reading) || is_end(reading)) return finish(reading, Step::pause, {Activity::on_cpu, true});
  }
  return finish(reading, Step::pause, {Activity::on_cpu, true});
}

Sampled ThreadSampler::finish(Reading reading, Step step, Doing doing) const {
  Sampled sampled{
      .outcome = Outcome::torn, .step = step, .activity = doing.activity, .may_be_ready = doing.may_be_ready};
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
