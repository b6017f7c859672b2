// ProfileBuilder: turns the samples of processes into a Profile, and counts every outcome.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"
#include "sampler/process_sampler.h"
#include "sampler/stack_table.h"

namespace flametap::sampler {

class ProfileBuilder {
 public:
  // A process whose samples will come; the number is to be given with them.
  [[nodiscard]] std::size_t add_process(const ProcessSampler& process);

  // `time` since the start; `weight` is the time that the sample stands for.
  void add(std::size_t process_number, const ProcessSampler& process, const ThreadSample& sample, std::uint64_t time,
           std::uint64_t weight);
  void count_tick(std::uint64_t missed);
  // A count for people, by its name.
  void count_more(const std::string& name, std::uint64_t count) { profile_.recording.quality.more[name] = count; }

  [[nodiscard]] const profile::Quality& quality() const { return profile_.recording.quality; }
  // The function that was innermost most often so far; empty before the first sample.
  [[nodiscard]] std::string hottest() const;

  // Ends the building.
  [[nodiscard]] profile::Profile take();

 private:
  struct ThreadEntry {
    profile::ThreadId id;
    profile::Sample last{};  // not yet in the profile: the next sample may continue it
  };
  struct ProcessEntry {
    profile::ProcessId id;
    StackTable table;
    std::vector<profile::StackId> stacks;  // by number in the table
    std::vector<profile::FunctionId> innermost;
    std::unordered_map<std::uint64_t, ThreadEntry> threads;
  };

  void count(const Sampled& sampled);
  [[nodiscard]] profile::StackId stack_of(ProcessEntry& entry, const ProcessSampler& process,
                                          const ThreadSample& sample);
  [[nodiscard]] profile::StackId intern_stack(const ProcessSampler& process, const ThreadSample& sample);
  [[nodiscard]] profile::StackId marker(std::string_view text);
  [[nodiscard]] ThreadEntry& thread_of(ProcessEntry& entry, const ProcessSampler& process, const ThreadSample& sample);
  void flush(ThreadEntry& thread);

  profile::Profile profile_;
  std::vector<profile::Sample> samples_;  // in the order of their ends
  std::vector<ProcessEntry> processes_;
  std::map<profile::FunctionId, std::uint64_t> self_ticks_;
};

}  // namespace flametap::sampler
