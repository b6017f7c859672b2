// Recorder: samples processes until the time is up, they are all gone, or somebody says stop, and hands on what it
// records to a Sink, twice a second.
//
// Everything happens in the thread that calls `run`. Other threads may set `stop` and read `progress`.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "profile/profile.h"
#include "profile/sink.h"
#include "sampler/cpu_seat.h"
#include "sampler/family.h"
#include "sampler/process_sampler.h"
#include "sampler/profile_builder.h"
#include "sampler/successors.h"
#include "target/process.h"

namespace flametap::sampler {

// How far a recording is, for people who watch.
class Progress {
 public:
  struct Now {
    std::uint64_t ticks = 0;
    std::uint64_t samples = 0;
    std::uint64_t failed = 0;  // torn or unreadable
    std::string hottest;
  };
  void set(Now now) {
    const std::lock_guard lock(mutex_);
    now_ = std::move(now);
  }
  [[nodiscard]] Now get() const {
    const std::lock_guard lock(mutex_);
    return now_;
  }

 private:
  mutable std::mutex mutex_;
  Now now_;
};

class Recorder {
 public:
  struct Options {
    double rate_hz = 1000;  // 0: as fast as possible
    std::optional<Nanoseconds> duration;
    std::uint64_t seed = 1;  // of the jitter
  };
  // Called when a process is gone; gives what to sample instead (the Python that it became), or null. It may take its
  // time: no tick is due meanwhile.
  using Successor = std::function<std::unique_ptr<ProcessSampler>(pid_t pid, Fate fate)>;

  Recorder(Options options, CpuSeat seat) : options_(std::move(options)), seat_(std::move(seat)) {}

  void add(std::unique_ptr<ProcessSampler> process);
  void set_successor(Successor successor) { successor_ = std::move(successor); }
  // The processes that the recording is about: it tells how these ended, and not how another one did that ended later.
  void set_main(std::vector<target::Process> processes) { main_ = std::move(processes); }
  // Where more processes come from while we record. It must outlive the recorder.
  void follow(Family& family) { family_ = &family; }
  // Where the processes go on that execute another program, unless there is a Family. It must outlive the recorder.
  void follow(Successors& successors) { successors_ = &successors; }

  // Ends when `stop` turns true (within 50 ms), too. Fails if the sink does, and ends then.
  [[nodiscard]] Result<void> run(const std::atomic<bool>& stop, Progress& progress, profile::Sink& sink);

 private:
  struct Target {
    std::size_t number;  // in the builder
    std::unique_ptr<ProcessSampler> process;
  };

  [[nodiscard]] Result<void> record(const std::atomic<bool>& stop, Progress& progress, profile::Sink& sink);
  void use_time_until(Nanoseconds next_tick);
  [[nodiscard]] bool may_give_a_process() const;
  [[nodiscard]] bool waits_in_vain(Nanoseconds until);
  void sort_by_cpu();
  [[nodiscard]] Result<void> sample_all(const ProfileBuilder::Moment& moment, bool asks, profile::Sink& sink);
  [[nodiscard]] Nanoseconds longest_own_weight() const;
  void handle_end(Target& target, Fate fate);
  [[nodiscard]] Result<void> welcome_newcomers(profile::Sink& sink);
  [[nodiscard]] Result<void> welcome(std::vector<std::unique_ptr<ProcessSampler>> processes, profile::Sink& sink);
  [[nodiscard]] Result<void> let_go_predecessor(pid_t pid, profile::Sink& sink);
  void name_threads(bool for_good);
  void count_family();
  [[nodiscard]] Result<void> checkpoint(profile::Sink& sink);
  void report(Progress& progress) const;

  Options options_;
  CpuSeat seat_;
  Successor successor_;
  Family* family_ = nullptr;
  Successors* successors_ = nullptr;
  std::vector<Target> targets_;
  ProfileBuilder builder_;
  std::string ended_;
  std::vector<target::Process> main_;
  bool main_has_ended_ = false;  // one of them, and `ended_` says how
  Nanoseconds start_ = 0;
  bool has_waited_ = false;  // for a successor
};

}  // namespace flametap::sampler
