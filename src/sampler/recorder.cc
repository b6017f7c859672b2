#include "sampler/recorder.h"

#include <string.h>
#include <sys/wait.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "sampler/pace.h"
#include "sampler/schedule.h"

namespace flametap::sampler {
namespace {

constexpr Nanoseconds kShortestRideGap = 50'000;
constexpr Nanoseconds kTimeForTrials = 30'000;  // one or two
constexpr Nanoseconds kProgressInterval = 250'000'000;
constexpr Nanoseconds kNamingInterval = 50'000'000;       // threads that live shorter may keep the kernel's name
constexpr Nanoseconds kAccountInterval = 4'000'000;       // as often as the kernel brings it up to date
constexpr Nanoseconds kCheckpointInterval = kSecond / 2;  // what is lost at the most

constexpr Nanoseconds kLongestOwnWeight = 1'000'000;

std::string describe_end(const target::Process& process) {
  const std::optional<int> status = process.wait_status();
  if (!status) return "ended";
  if (!WIFSIGNALED(*status)) return "exited";
  const char* const name = ::sigabbrev_np(WTERMSIG(*status));
  return "was killed by " +
         (name == nullptr ? "signal " + std::to_string(WTERMSIG(*status)) : "SIG" + std::string(name));
}

std::string describe(const target::Process& process, Fate fate) {
  const std::string name = "process " + std::to_string(process.pid());
  switch (fate) {
    case Fate::replaced:
      return name + " began to execute another program";
    case Fate::closed:
      return name + " closed its memory to us (it changed its user, or cannot be read any more)";
    case Fate::exited:
    case Fate::runs:
      break;
  }
  return name + " " + describe_end(process);
}

}  // namespace

void Recorder::add(std::unique_ptr<ProcessSampler> process) {
  const std::size_t number = builder_.add_process(*process);
  targets_.push_back({number, std::move(process)});
}

Result<void> Recorder::run(const std::atomic<bool>& stop, Progress& progress, profile::Sink& sink) {
  prepare_to_sample();
  profile::Recording& recording = builder_.recording();
  recording.start_unix_ns = unix_now();
  recording.rate_hz = options_.rate_hz;
  recording.mode = profile::Mode::wall;  // every sample is kept, with its state
  for (Target& target : targets_) target.process->get_ready();
  start_ = monotonic_now();
  const Result<void> recorded = record(stop, progress, sink);
  report(progress);
  if (!recorded) return recorded;
  name_threads(true);
  count_family();
  if (const std::uint64_t count = builder_.ready_python_only(); count > 0) {
    builder_.count_more("without C stacks while they waited for a CPU", count);
  }
  recording.ended = ended_;
  recording.duration_ns = monotonic_now() - start_;
  if (const auto handed = builder_.hand_on(sink); !handed) return handed;
  return sink.finish(builder_.tables());
}

Result<void> Recorder::record(const std::atomic<bool>& stop, Progress& progress, profile::Sink& sink) {
  const Nanoseconds end = options_.duration ? start_ + *options_.duration : ~Nanoseconds{0};
  Nanoseconds next_report = start_;
  Nanoseconds next_naming = start_;
  Nanoseconds next_account = start_;
  Nanoseconds next_checkpoint = start_ + kCheckpointInterval;
  Schedule schedule(options_.rate_hz, start_, options_.seed);
  while (!targets_.empty() || may_give_a_process()) {
    const Schedule::Tick tick = schedule.next(std::min(monotonic_now(), end));
    const Nanoseconds until = std::min(tick.deadline, end);
    use_time_until(until);
    while (!stop && monotonic_now() < until && !waits_in_vain(until)) sleep_towards(until);
    // A tick that was due before the end is taken, however late we are: a short recording would be empty otherwise.
    if (stop || (tick.deadline >= end && monotonic_now() >= end)) {
      ended_ = stop ? "stopped by a signal" : "the time was up";
      builder_.count_missed(tick.missed + schedule.passed(tick, std::min(monotonic_now(), end)));
      return {};
    }
    if (const auto welcomed = welcome_newcomers(sink); !welcomed) return welcomed;
    if (targets_.empty()) continue;
    builder_.count_tick(tick.missed);
    const Nanoseconds own_weight = std::min(tick.weight / (tick.missed + 1), longest_own_weight());
    const ProfileBuilder::Moment moment{monotonic_now() - start_, tick.weight, own_weight};
    const bool asks = own_weight < tick.weight || tick.deadline >= next_account;
    if (asks) next_account = tick.deadline + kAccountInterval;
    if (const auto sampled = sample_all(moment, asks, sink); !sampled) return sampled;
    // As fast as possible must not mean that a target which stands still for us never gets its CPU back.
    if (options_.rate_hz == 0 && seat_.riding_on()) sleep_towards(monotonic_now() + kShortestRideGap);
    if (std::exchange(has_waited_, false)) schedule = Schedule(options_.rate_hz, monotonic_now(), ++options_.seed);
    if (tick.deadline >= next_report) {
      report(progress);
      next_report = tick.deadline + kProgressInterval;
    }
    if (tick.deadline >= next_naming) {
      name_threads(false);
      next_naming = tick.deadline + kNamingInterval;
    }
    if (tick.deadline >= next_checkpoint || builder_.is_full()) {
      next_checkpoint = tick.deadline + kCheckpointInterval;
      if (const auto kept = checkpoint(sink); !kept) return kept;
    }
  }
  // Of those that are not Pythons, nothing else has told us.
  for (const target::Process& process : main_) {
    if (!main_has_ended_ && !process.alive()) ended_ = describe(process, Fate::exited);
  }
  return {};
}

// From here on, what was recorded so far survives whatever happens to us.
Result<void> Recorder::checkpoint(profile::Sink& sink) {
  builder_.recording().duration_ns = monotonic_now() - start_;
  name_threads(true);
  if (const auto handed = builder_.hand_on(sink); !handed) return handed;
  for (const Target& target : targets_) builder_.forget_ended_threads(target.number, *target.process);
  return sink.checkpoint(builder_.tables());
}

// As fast as possible, a sample stands for the time since the one before; but not for any time.
Nanoseconds Recorder::longest_own_weight() const { return options_.rate_hz > 0 ? ~Nanoseconds{0} : kLongestOwnWeight; }

// Whether there may be something to sample although there is nothing now.
bool Recorder::may_give_a_process() const {
  return (family_ != nullptr && family_->alive()) || (successors_ != nullptr && successors_->awaited());
}

void Recorder::use_time_until(Nanoseconds next_tick) {
  // As fast as possible, or nearly so, there is no time to spare.
  const bool is_hurried = options_.rate_hz == 0 || options_.rate_hz * (2 * kTimeForTrials) > kSecond;
  const Nanoseconds until = is_hurried ? monotonic_now() + kTimeForTrials : next_tick;
  for (const Target& target : targets_) target.process->try_free_readings(seat_, until);
}

// At a low rate, the end of a process is not to be noticed at the next tick only, nor is a thread to be let go only
// then.
bool Recorder::waits_in_vain(Nanoseconds until) {
  for (Target& target : targets_) target.process->let_go_pending();
  if (until < monotonic_now() + kLongestSleep) return false;
  return std::ranges::any_of(targets_, [](const Target& target) { return !target.process->process().alive(); });
}

// Processes of one CPU after the other, those of the CPU that we are on first: moving to another costs more than a
// sample.
void Recorder::sort_by_cpu() {
  const int here = seat_.riding_on().value_or(-1);
  // By number where all else is equal: a stable sort would allocate.
  std::ranges::sort(targets_, {}, [&](const Target& target) {
    const int cpu = target.process->last_cpu();
    return std::tuple(cpu != here, cpu, target.number);
  });
}

Result<void> Recorder::sample_all(const ProfileBuilder::Moment& moment, bool asks, profile::Sink& sink) {
  if (targets_.size() > 1) sort_by_cpu();
  std::vector<std::pair<Target*, Fate>> ended;
  for (Target& target : targets_) {
    const auto add = [&](const ThreadSample& sample) { builder_.add(target.number, *target.process, sample, moment); };
    const auto ask = asks ? ProcessSampler::Ask::turns : ProcessSampler::Ask::nothing;
    const Fate fate = target.process->sample(seat_, std::cref(add), ask);  // a copy of it would be an allocation
    if (fate != Fate::runs) ended.emplace_back(&target, fate);
  }
  if (ended.empty()) return {};
  // It may be long before there is another process.
  if (const auto kept = checkpoint(sink); !kept) return kept;
  for (const auto& [target, fate] : ended) handle_end(*target, fate);
  std::erase_if(targets_, [](const Target& target) { return target.process == nullptr; });
  return {};
}

void Recorder::handle_end(Target& target, Fate fate) {
  const pid_t pid = target.process->process().pid();
  const bool is_main = std::ranges::find(main_, pid, &target::Process::pid) != main_.end();
  if (is_main || !main_has_ended_) ended_ = describe(target.process->process(), fate);
  main_has_ended_ = main_has_ended_ || (is_main && fate != Fate::replaced);
  builder_.forget_process(target.number);
  if (family_ != nullptr && fate == Fate::replaced) family_->began_another_program(*target.process);
  if (successors_ != nullptr && fate == Fate::replaced) {
    successors_->expect(*target.process);
    ended_ += ", in which no Python was found";  // unless one will be: then this is not the end
  }
  target.process = successor_ ? successor_(pid, fate) : nullptr;
  has_waited_ = successor_ != nullptr;
  if (target.process) target.number = builder_.add_process(*target.process);
}

void Recorder::name_threads(bool for_good) {
  for (Target& target : targets_) builder_.name_new_threads(target.number, *target.process, for_good);
}

Result<void> Recorder::welcome_newcomers(profile::Sink& sink) {
  if (family_ != nullptr) return welcome(family_->take(), sink);
  if (successors_ != nullptr) return welcome(successors_->take(), sink);
  return {};
}

Result<void> Recorder::welcome(std::vector<std::unique_ptr<ProcessSampler>> processes, profile::Sink& sink) {
  for (auto& process : processes) {
    if (const auto kept = let_go_predecessor(process->process().pid(), sink); !kept) return kept;
    add(std::move(process));
  }
  return {};
}

// Of two samplers of one process, the newer one knows the program that it runs now; both would count its time twice.
Result<void> Recorder::let_go_predecessor(pid_t pid, profile::Sink& sink) {
  const auto pid_of = [](const Target& target) { return target.process->process().pid(); };
  const auto before = std::ranges::find(targets_, pid, pid_of);
  if (before == targets_.end()) return {};
  if (const auto kept = checkpoint(sink); !kept) return kept;
  builder_.forget_process(before->number);
  targets_.erase(before);
  return {};
}

void Recorder::count_family() {
  if (family_ == nullptr) return;
  const Family::Counts counts = family_->counts();
  builder_.count_more("child processes", counts.found);
  if (counts.too_short > 0) builder_.count_more("child processes too short to be read", counts.too_short);
  if (counts.denied > 0) builder_.count_more("child processes closed to us", counts.denied);
}

void Recorder::report(Progress& progress) const {
  const profile::Quality& quality = builder_.quality();
  progress.set({.ticks = quality.ticks,
                .samples = quality.verified(),
                .failed = quality.torn + quality.unreadable,
                .hottest = builder_.hottest()});
}

}  // namespace flametap::sampler
