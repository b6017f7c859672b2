// ProfileBuilder: turns the samples of processes into the tables of a Profile and the samples of a Sink, and counts
// every outcome. What it keeps grows with the number of distinct stacks, not with time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"
#include "profile/sink.h"
#include "sampler/process_sampler.h"
#include "sampler/sample_times.h"
#include "sampler/sampled_process.h"
#include "sampler/stack_table.h"
#include "sampler/time_account.h"

namespace flametap::sampler {

class ProfileBuilder {
 public:
  // A process whose samples will come; the number is to be given with them.
  [[nodiscard]] std::size_t add_process(const SampledProcess& process);

  struct Moment {
    Nanoseconds time;        // since the start
    Nanoseconds weight;      // the time since the last tick that was met, the missed ones included
    Nanoseconds own_weight;  // the same without them
  };
  void add(std::size_t process_number, const SampledProcess& process, const ThreadSample& sample, const Moment& times);
  void count_tick(std::uint64_t missed);
  // Of threads that waited for a CPU, where C stacks are asked for.
  [[nodiscard]] std::uint64_t ready_python_only() const { return ready_python_only_; }
  void count_missed(std::uint64_t ticks) { profile_.recording.quality.missed_ticks += ticks; }
  // A count for people, by its name.
  void count_more(const std::string& name, std::uint64_t count) { profile_.recording.quality.more[name] = count; }

  [[nodiscard]] const profile::Quality& quality() const { return profile_.recording.quality; }
  // The function that was innermost most often so far; empty before the first sample.
  [[nodiscard]] std::string hottest() const;

  // For what is known of the recording besides its quality.
  [[nodiscard]] profile::Recording& recording() { return profile_.recording; }
  [[nodiscard]] const profile::Profile& tables() const { return profile_; }

  // Gives the threads that were met since the samples were last handed on the names that the program gave them; those
  // that were asked for already only if it is for good. To be called for good before hand_on: a thread that is just
  // starting may have no name yet, and one that was handed on keeps its name.
  void name_new_threads(std::size_t process_number, ProcessSampler& process, bool for_good);

  // Hands on all samples so far, in the order of their times.
  [[nodiscard]] Result<void> hand_on(profile::Sink& sink);
  // What is kept of threads that are no more, and of a process that is no more. To be called after hand_on.
  void forget_ended_threads(std::size_t process_number, const ProcessSampler& process);
  void forget_process(std::size_t process_number) { processes_[process_number] = {}; }
  // There is so much to hand on that it should not wait.
  [[nodiscard]] bool is_full() const { return samples_.size() >= kFull; }

 private:
  struct ThreadEntry {
    profile::ThreadId id;
    Nanoseconds first_time;        // of its first sample
    profile::Sample last{};        // not yet in the profile: the next sample may continue it
    Nanoseconds may_be_ready = 0;  // so much of its weight
    TimeAccount account{};
  };
  struct ProcessEntry {
    profile::ProcessId id{};
    StackTable table{};
    std::vector<profile::StackId> stacks{};  // by number in the table
    std::vector<profile::FunctionId> innermost{};
    std::unordered_map<std::uint64_t, ThreadEntry> threads{};
    std::vector<std::uint64_t> new_threads{};  // that have not been handed on yet
    std::size_t asked_for = 0;                 // the names of so many of them
  };

  void count(const Sampled& sampled);
  [[nodiscard]] profile::StackId stack_of(ProcessEntry& entry, const SampledProcess& process,
                                          const ThreadSample& sample);
  [[nodiscard]] profile::StackId intern_stack(const SampledProcess& process, const ThreadSample& sample);
  [[nodiscard]] profile::StackId marker(std::string_view text);
  [[nodiscard]] ThreadEntry& thread_of(ProcessEntry& entry, const SampledProcess& process, const ThreadSample& sample,
                                       Nanoseconds now);
  void add_unseen(ThreadEntry& thread, Nanoseconds from, const TimeAccount::Parts& parts);
  void move_to_ready(ThreadEntry& thread, const target::TaskSchedstat& turns);
  void flush(ThreadEntry& thread);

  static constexpr std::size_t kFull = 1 << 18;

  profile::Profile profile_;              // without its samples
  std::vector<profile::Sample> samples_;  // in the order of their ends, not handed on yet
  std::uint64_t ready_python_only_ = 0;
  SampleTimes times_;
  Nanoseconds taking_ = 0;  // the samples of this tick so far
  SampleTimes stops_;       // how long threads were stopped for their C stacks
  std::vector<ProcessEntry> processes_;
  std::map<profile::FunctionId, std::uint64_t> self_ticks_;
};

}  // namespace flametap::sampler
