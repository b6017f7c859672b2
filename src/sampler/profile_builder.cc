#include "sampler/profile_builder.h"

#include <algorithm>
#include <utility>

namespace flametap::sampler {

using stack::Outcome;
using stack::Step;

namespace {

// What a sample may stand for besides its own interval, in intervals.
constexpr Nanoseconds kMostUnseen = 4;

// What of an unseen time a sample may stand for: it was doing the same all along, or at least for that little.
Nanoseconds& part_of(TimeAccount::Parts& parts, Activity activity) {
  switch (activity) {
    case Activity::asleep:
      return parts.asleep;
    case Activity::ready:
      return parts.ready;
    case Activity::on_cpu:
      break;
  }
  return parts.on_cpu;
}

}  // namespace

std::size_t ProfileBuilder::add_process(const SampledProcess& process) {
  const auto id = profile_.add(process.description());
  profile_.recording.native = profile_.recording.native || process.is_native();
  processes_.push_back({.id = id});
  return processes_.size() - 1;
}

void ProfileBuilder::count_tick(std::uint64_t missed) {
  taking_ = 0;
  profile_.recording.quality.ticks += 1;
  profile_.recording.quality.missed_ticks += missed;
}

void ProfileBuilder::add(std::size_t process_number, const SampledProcess& process, const ThreadSample& sample,
                         const Moment& times) {
  count(sample.sampled);
  times_.add(sample.duration);
  taking_ += sample.duration;
  if (sample.sampled.stopped > 0 && !sample.sampled.unchanged) stops_.add(sample.sampled.stopped);
  ProcessEntry& entry = processes_[process_number];
  if (sample.sampled.outcome == Outcome::no_frames) {
    if (const auto known = entry.threads.find(sample.thread); known != entry.threads.end()) {
      flush(known->second);
      known->second.account.forget();  // what it does without Python belongs to no sample
    }
    return;
  }
  ThreadEntry& thread = thread_of(entry, process, sample, times.time);
  // Of the time that passed unseen, what was before a thread was first met is none of its own.
  const Nanoseconds since = std::min(times.weight, std::max(times.own_weight, times.time - thread.first_time));
  const Nanoseconds own = std::min(since, times.own_weight);
  const Sampled& sampled = sample.sampled;
  // Of two Python threads on one thread of the system, the kernel's account is that of the one at work.
  if (sampled.dormant) thread.account.forget();
  const auto turns = sampled.dormant ? std::nullopt : sampled.turns;
  const Activity activity = sampled.dormant ? Activity::asleep : sampled.activity;
  TimeAccount::Parts parts = thread.account.divide(since - own, activity, turns);
  thread.account.count(Activity::on_cpu, parts.on_cpu);
  thread.account.count(Activity::ready, parts.ready);
  if (turns) move_to_ready(thread, *turns);
  thread.account.count(activity, own);
  Nanoseconds& same = part_of(parts, activity);
  const Nanoseconds besides = sampled.unchanged ? same : std::min(same, kMostUnseen * own);
  same -= besides;
  const Nanoseconds weight = own + besides;
  if (since > weight) add_unseen(thread, times.time - std::min(times.time, since - own), parts);

  profile::Sample& last = thread.last;
  const profile::StackId stack = sampled.unchanged && last.ticks > 0 ? last.stack : stack_of(entry, process, sample);
  if (last.ticks > 0 && last.stack == stack && last.state == sample.state) {
    last.ticks += 1;
    last.weight_ns += weight;
  } else {
    flush(thread);
    last = {times.time - std::min(times.time, besides), weight, thread.id, stack, 1, sample.state};
  }
  if (sampled.may_be_ready || sampled.unchanged) thread.may_be_ready += weight;
  if (turns) thread.account.settle(activity, *turns, taking_);
}

// Time that no sample covers, with what the thread did meanwhile, but not where.
void ProfileBuilder::add_unseen(ThreadEntry& thread, Nanoseconds from, const TimeAccount::Parts& parts) {
  flush(thread);
  const profile::StackId stack = marker(profile::kNotSampled);
  for (const auto& [time, state] :
       {std::pair{parts.on_cpu, stack::on_cpu(false)}, {parts.ready, stack::on_cpu(true)}, {parts.asleep, {}}}) {
    if (time == 0) continue;
    samples_.push_back({from, time, thread.id, stack, 0, state});
    from += time;
  }
}

// While a thread waits for a CPU, its stack stays the same: what turned out to have been such a wait is in the last
// row. One that slept woke up in it; of one that seemed to run all along, the wait may be anywhere in it.
void ProfileBuilder::move_to_ready(ThreadEntry& thread, const target::TaskSchedstat& turns) {
  profile::Sample& last = thread.last;
  const Nanoseconds waited = std::min(thread.account.uncounted_wait(turns), thread.may_be_ready);
  const std::uint64_t interval = last.ticks == 0 ? 0 : last.weight_ns / last.ticks;
  const std::uint64_t ticks = interval == 0 ? 0 : std::min(last.ticks, (waited + interval / 2) / interval);
  if (ticks == 0) return;
  const bool slept = (last.state & stack::kOnCpu) == 0;
  profile::Sample moved = last;
  moved.ticks = ticks;
  moved.weight_ns = ticks == last.ticks ? last.weight_ns : ticks * interval;
  const auto kept = static_cast<stack::State>(slept ? last.state & (stack::kHoldsGil | stack::kInGc) : last.state);
  moved.state = static_cast<stack::State>(kept | stack::on_cpu(true));
  last.ticks -= ticks;
  last.weight_ns -= moved.weight_ns;
  (slept ? moved : last).time_ns += (slept ? last : moved).weight_ns;
  thread.may_be_ready -= std::min(moved.weight_ns, thread.may_be_ready);
  if (slept) {
    thread.account.count(Activity::ready, moved.weight_ns);
  } else {
    thread.account.move_to_ready(moved.weight_ns);
  }
  if (slept) flush(thread);
  samples_.push_back(moved);
}

void ProfileBuilder::count(const Sampled& sampled) {
  profile::Quality& quality = profile_.recording.quality;
  quality.unmerged += sampled.unmerged ? 1 : 0;
  ready_python_only_ += sampled.python_only ? 1 : 0;
  quality.native_truncated += sampled.native_truncated ? 1 : 0;
  quality.guessed += sampled.guessed ? 1 : 0;
  switch (sampled.outcome) {
    case Outcome::torn:
      quality.torn += 1;
      return;
    case Outcome::unreadable:
      quality.unreadable += 1;
      return;
    case Outcome::no_frames:
      quality.no_frames += 1;
      return;
    case Outcome::truncated:
      quality.truncated += 1;
      break;
    case Outcome::complete:
      break;
  }
  switch (sampled.step) {
    case Step::free_running:
      quality.free_running += 1;
      break;
    case Step::interrupt:
      quality.interrupted += 1;
      break;
    case Step::ride_along:
      quality.ride_along += 1;
      break;
    case Step::pause:
      quality.paused += 1;
      break;
  }
}

profile::StackId ProfileBuilder::stack_of(ProcessEntry& entry, const SampledProcess& process,
                                          const ThreadSample& sample) {
  if (sample.sampled.outcome == Outcome::torn) return marker("(torn)");
  if (sample.sampled.outcome == Outcome::unreadable) return marker("(unreadable)");
  const auto found = entry.table.find_or_add(sample.frames, sample.sampled.outcome == Outcome::truncated);
  if (found.is_new) {
    entry.stacks.push_back(intern_stack(process, sample));
    entry.innermost.push_back(profile_.frame(profile_.stack(entry.stacks.back()).frame).function);
  }
  if ((sample.state & stack::kOnCpu) != 0) self_ticks_[entry.innermost[found.number]] += 1;
  return entry.stacks[found.number];
}

profile::StackId ProfileBuilder::intern_stack(const SampledProcess& process, const ThreadSample& sample) {
  profile::StackId stack = profile::kEmptyStack;
  if (sample.sampled.outcome == Outcome::truncated) stack = marker("(truncated)");
  for (auto frame = sample.frames.rbegin(); frame != sample.frames.rend(); ++frame) {
    const std::vector<NamedFrame> names = process.names_of(*frame);
    for (auto named = names.rbegin(); named != names.rend(); ++named) {
      const auto function =
          profile_.intern(profile::Function{profile_.intern(named->name), profile_.intern(named->file),
                                            named->first_line, named->kind, profile_.intern(named->module)});
      stack = profile_.push(stack, profile_.intern(profile::Frame{function, named->line}));
    }
  }
  return stack;
}

profile::StackId ProfileBuilder::marker(std::string_view text) {
  const auto function = profile_.intern(
      profile::Function{profile_.intern(text), profile_.intern(std::string_view{}), 0, profile::FrameKind::marker});
  return profile_.push(profile::kEmptyStack, profile_.intern(profile::Frame{function, 0}));
}

ProfileBuilder::ThreadEntry& ProfileBuilder::thread_of(ProcessEntry& entry, const SampledProcess& process,
                                                       const ThreadSample& sample, Nanoseconds now) {
  if (const auto known = entry.threads.find(sample.thread); known != entry.threads.end()) return known->second;
  const auto id =
      profile_.add(profile::Thread{entry.id, static_cast<std::uint64_t>(sample.tid), process.thread_name(sample.tid)});
  entry.new_threads.push_back(sample.thread);
  return entry.threads.emplace(sample.thread, ThreadEntry{id, now, {}}).first->second;
}

void ProfileBuilder::flush(ThreadEntry& thread) {
  if (thread.last.ticks > 0) samples_.push_back(thread.last);
  thread.last.ticks = 0;
  thread.may_be_ready = 0;
}

std::string ProfileBuilder::hottest() const {
  const auto most = std::ranges::max_element(self_ticks_, {}, [](const auto& entry) { return entry.second; });
  return most == self_ticks_.end() ? "" : std::string(profile_.text(profile_.function(most->first).name));
}

void ProfileBuilder::name_new_threads(std::size_t process_number, ProcessSampler& process, bool for_good) {
  ProcessEntry& entry = processes_[process_number];
  if (entry.new_threads.size() == (for_good ? 0 : entry.asked_for)) return;
  entry.asked_for = entry.new_threads.size();
  const auto names = process.thread_names(entry.new_threads);
  for (const std::uint64_t number : entry.new_threads) {
    const auto given = names.find(number);
    if (given != names.end()) profile_.rename(entry.threads.at(number).id, given->second);
  }
}

void ProfileBuilder::forget_ended_threads(std::size_t process_number, const ProcessSampler& process) {
  std::erase_if(processes_[process_number].threads,
                [&](const auto& entry) { return !process.has_thread(entry.first); });
}

Result<void> ProfileBuilder::hand_on(profile::Sink& sink) {
  for (ProcessEntry& process : processes_) {
    for (auto& [number, thread] : process.threads) flush(thread);
    process.new_threads.clear();
    process.asked_for = 0;
  }
  std::ranges::sort(samples_, {},
                    [](const profile::Sample& sample) { return std::pair(sample.time_ns, sample.thread); });
  profile_.recording.quality.median_sample_ns = times_.median();
  profile_.recording.quality.slowest_sample_ns = times_.slowest();
  profile_.recording.quality.median_stop_ns = stops_.median();
  for (const profile::Sample& sample : samples_) {
    if (const auto added = sink.add(profile_, sample); !added) return added.error();
  }
  samples_.clear();
  return {};
}

}  // namespace flametap::sampler
