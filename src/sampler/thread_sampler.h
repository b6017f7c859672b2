// ThreadSampler: one verified sample of one thread, by the gentlest step that gives a true one.
//
//   free_running  read it while it runs on
//   interrupt     interrupt the CPU where it runs, and copy its memory meanwhile; where the kernel lets us
//   ride_along    go to the CPU where it runs: while we run there, it stands still
//   pause         where its CPU is closed to us: stop it with ptrace, read, let go
//
// See Approach for when which step is taken. Where its C stack is asked for, too, both are read while it stands still:
// see still.h. A thread that has not run since the last sample is not read again: see Rest. One thread only, the one
// whose CpuSeat is given.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "cpython/stack_reader.h"
#include "sampler/approach.h"
#include "sampler/cpu_seat.h"
#include "sampler/following.h"
#include "sampler/kernel_view.h"
#include "sampler/native_process.h"
#include "sampler/rest.h"
#include "sampler/sampled.h"
#include "sampler/visit.h"
#include "stack/frame.h"
#include "target/interrupter.h"
#include "target/pause.h"

namespace flametap::sampler {

class ThreadSampler {
 public:
  struct Tools {
    CpuSeat& seat;
    target::Interrupter* interrupter;  // null: never interrupt
    target::Pauser* pauser;            // null: never pause
    NativeProcess* native;             // null: Python only
    const FindVisit& find_visit;
    bool wants_turns;  // of each thread with its sample
  };
  // Python threads of other interpreters that share its thread of the system, and so its C stack.
  struct Companions {
    std::vector<ThreadSampler*> others;
    std::function<bool()> is_innermost;  // whether this one is, at the instant of the last reading
  };

  // `kernel`: empty if the thread's id is not known: then it is read while it runs on, or not at all.
  ThreadSampler(std::unique_ptr<cpython::StackReader> reader, KernelView kernel, pid_t tid);

  // Before the first sample, so that the first guess is a good one.
  void warm_up();
  [[nodiscard]] bool has_companions() const { return !companions_.others.empty(); }
  void set_companions(Companions companions) { companions_ = std::move(companions); }
  [[nodiscard]] Sampled sample(const Tools& tools);
  // Between samples, with time to spare until then: finds out whether it has calmed down, see Approach.
  void try_free_readings(const Tools& tools, Nanoseconds until);
  // Whether the last sample found it in another Python thread state than the one it was made for.
  [[nodiscard]] const std::optional<cpython::PythonThread>& moved_to() const { return moved_to_; }
  // Of the last sample; the innermost first.
  [[nodiscard]] std::span<const stack::Frame> frames() const { return frames_; }
  [[nodiscard]] cpython::StackReader& reader() { return *reader_; }
  [[nodiscard]] const cpython::StackReader& reader() const { return *reader_; }
  [[nodiscard]] pid_t tid() const { return tid_; }
  // On which it ran when we last asked, or -1.
  [[nodiscard]] int last_cpu() const { return last_cpu_; }

 private:
  static constexpr Sampled kThreadEnded{.outcome = stack::Outcome::no_frames, .gone = true};
  static constexpr Nanoseconds kMoment = 30'000;  // to leave what cannot be read, such as a frame that is half made
  static constexpr int kLearnAttempts = 3;

  struct Doing {
    Activity activity = Activity::asleep;
    bool may_be_ready = false;
  };

  [[nodiscard]] Sampled take(const Tools& tools);
  [[nodiscard]] Sampled take_python(const Tools& tools);
  [[nodiscard]] Sampled take_python_alone(const Tools& tools);
  [[nodiscard]] Sampled take_both(const Tools& tools);
  void merge(NativeProcess& native, Sampled& sampled);
  [[nodiscard]] std::optional<NativeProcess::Foreign> foreign_runs() const;
  [[nodiscard]] NativeProcess::Foreign anchored_inside() const;
  [[nodiscard]] cpython::Reading read_and_learn();
  void learn_if_due(const Tools& tools);
  [[nodiscard]] cpython::Reading read_freely(const Tools& tools);
  [[nodiscard]] std::optional<cpython::Reading> read_in_one_go();
  [[nodiscard]] cpython::Reading read_again_and_again(const Tools& tools);
  void end_trials(std::optional<cpython::Reading> last);
  [[nodiscard]] bool count_trials(const Tools& tools);
  [[nodiscard]] bool is_known_to_wait(const Tools& tools) const;
  [[nodiscard]] std::optional<Doing> doing_now(const Tools& tools);
  [[nodiscard]] bool is_awake();
  [[nodiscard]] Sampled sample_standing_still(const Tools& tools);
  [[nodiscard]] std::optional<Sampled> sample_interrupted(const Tools& tools);
  [[nodiscard]] std::optional<target::Trail> trail_to_follow() const;
  [[nodiscard]] std::optional<Sampled> sample_waiting(const target::TaskSchedstat& before);
  [[nodiscard]] Sampled sample_riding(const Tools& tools);
  [[nodiscard]] Sampled sample_paused(const Tools& tools);
  [[nodiscard]] Sampled finish(cpython::Reading reading, stack::Step step, Doing doing) const;

  std::unique_ptr<cpython::StackReader> reader_;
  KernelView kernel_;
  pid_t tid_;
  Sampled last_;
  Companions companions_;
  std::optional<cpython::PythonThread> moved_to_;
  std::vector<stack::Frame> frames_;
  Rest rest_;
  int last_cpu_ = -1;                             // on which the thread was when we last asked
  std::vector<cpython::CodeFrame> first_frames_;  // of several free readings
  struct Awake {
    target::TaskSchedstat turns;
    Doing doing;
    Nanoseconds time;
  };
  std::optional<Awake> awake_since_;                 // what it was last found doing, and its turns before that
  std::optional<target::TaskSchedstat> turns_;       // as far as this sample needed them
  std::optional<target::TaskSchedstat> last_turns_;  // at the last ride
  int rides_due_ = 0;                                // before it is interrupted again
  Following following_;
  std::minstd_rand random_;
  Approach approach_;
  std::uint32_t trials_ = 0;  // of a round of free readings, which all were verified
};

}  // namespace flametap::sampler
