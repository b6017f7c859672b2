// ThreadSampler: one verified sample of one thread, by the gentlest step that gives a true one.
//
//   free_running  read it while it runs on
//   ride_along    go to the CPU where it runs: while we run there, it stands still
//   pause         where its CPU is closed to us: stop it with ptrace, read, let go
//
// See Approach for when which step is taken. One thread only, the one whose CpuSeat is given.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "cpython/stack_reader.h"
#include "sampler/approach.h"
#include "sampler/cpu_seat.h"
#include "stack/outcome.h"
#include "target/pause.h"
#include "target/thread_stat.h"

namespace flametap::sampler {

struct Sampled {
  stack::Outcome outcome = stack::Outcome::torn;
  stack::Step step = stack::Step::free_running;
  bool running = false;  // on a CPU, or ready for one
  bool gone = false;     // the thread, or all of its process, is no more; or its memory is closed to us
};

class ThreadSampler {
 public:
  struct Tools {
    CpuSeat& seat;
    target::Pauser* pauser;  // null: never pause
  };

  // `stat`: what the kernel says of the thread; none if its id is not known: then it is read while it runs on, or not
  // at all.
  ThreadSampler(std::unique_ptr<cpython::StackReader> reader, std::optional<target::ThreadStat> stat, pid_t tid);

  // Before the first sample, so that the first guess is a good one.
  void warm_up();
  [[nodiscard]] Sampled sample(const Tools& tools);
  [[nodiscard]] cpython::StackReader& reader() { return *reader_; }
  [[nodiscard]] const cpython::StackReader& reader() const { return *reader_; }
  [[nodiscard]] pid_t tid() const { return tid_; }
  [[nodiscard]] bool stands_still() const { return approach_.stand_still(); }

 private:
  [[nodiscard]] cpython::Reading read_and_learn();
  [[nodiscard]] cpython::Reading read_freely(const Tools& tools);
  [[nodiscard]] cpython::Reading read_again_and_again(const Tools& tools);
  void try_free_readings(const Tools& tools);
  [[nodiscard]] Sampled sample_riding(const Tools& tools);
  [[nodiscard]] Sampled sample_paused(const Tools& tools);
  [[nodiscard]] Sampled finish(cpython::Reading reading, stack::Step step, bool running) const;

  std::unique_ptr<cpython::StackReader> reader_;
  std::optional<target::ThreadStat> stat_;
  pid_t tid_;
  int last_cpu_ = -1;                             // on which the thread was when we last asked
  std::vector<cpython::CodeFrame> first_frames_;  // of several free readings
  std::minstd_rand random_;
  Approach approach_;
};

}  // namespace flametap::sampler
