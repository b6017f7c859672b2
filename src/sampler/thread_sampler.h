// ThreadSampler: one verified sample of one thread, by the gentlest step that gives a true one.
//
//   free_running  read it while it runs on
//   ride_along    go to the CPU where it runs: while we run there, it stands still
//   pause         where its CPU is closed to us: stop it with ptrace, read, let go
//
// See Approach for when which step is taken. A thread that has not run since the last sample is not read again: the
// kernel's count of its turns on a CPU proves it. One thread only, the one whose CpuSeat is given.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "cpython/stack_reader.h"
#include "sampler/approach.h"
#include "sampler/cpu_seat.h"
#include "sampler/rest.h"
#include "stack/outcome.h"
#include "target/pause.h"
#include "target/thread_stat.h"

namespace flametap::sampler {

struct Sampled {
  stack::Outcome outcome = stack::Outcome::torn;
  stack::Step step = stack::Step::free_running;
  bool running = false;         // on a CPU, or ready for one
  bool gone = false;            // the thread, or all of its process, is no more; or its memory is closed to us
  bool unchanged = false;       // it has not run since the last sample: everything is as it was
  std::uint64_t sleeps_on = 0;  // the word in its memory that it waits for, or 0
};

// What the kernel says of one thread; what is not to be had is missing.
struct KernelView {
  std::optional<target::ThreadStat> stat;
  std::optional<target::ThreadSchedstat> schedstat;
  std::optional<target::ThreadSyscall> syscall;

  [[nodiscard]] static KernelView open(pid_t pid, pid_t tid);
};

class ThreadSampler {
 public:
  struct Tools {
    CpuSeat& seat;
    target::Pauser* pauser;  // null: never pause
  };

  // `kernel`: empty if the thread's id is not known: then it is read while it runs on, or not at all.
  ThreadSampler(std::unique_ptr<cpython::StackReader> reader, KernelView kernel, pid_t tid);

  // Before the first sample, so that the first guess is a good one.
  void warm_up();
  [[nodiscard]] Sampled sample(const Tools& tools);
  [[nodiscard]] cpython::StackReader& reader() { return *reader_; }
  [[nodiscard]] const cpython::StackReader& reader() const { return *reader_; }
  [[nodiscard]] pid_t tid() const { return tid_; }
  // On which it ran when we last asked, or -1.
  [[nodiscard]] int last_cpu() const { return last_cpu_; }

 private:
  [[nodiscard]] Sampled take(const Tools& tools);
  [[nodiscard]] cpython::Reading read_and_learn();
  [[nodiscard]] cpython::Reading read_freely(const Tools& tools);
  [[nodiscard]] cpython::Reading read_again_and_again(const Tools& tools);
  void try_free_readings(const Tools& tools);
  [[nodiscard]] Sampled sample_riding(const Tools& tools);
  [[nodiscard]] Sampled sample_paused(const Tools& tools);
  [[nodiscard]] Sampled finish(cpython::Reading reading, stack::Step step, bool running) const;

  std::unique_ptr<cpython::StackReader> reader_;
  KernelView kernel_;
  pid_t tid_;
  Sampled last_;
  Rest rest_;
  int last_cpu_ = -1;                             // on which the thread was when we last asked
  std::vector<cpython::CodeFrame> first_frames_;  // of several free readings
  std::minstd_rand random_;
  Approach approach_;
};

}  // namespace flametap::sampler
