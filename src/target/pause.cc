#include "target/pause.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <utility>

#include "target/proc_file.h"
#include "target/ptrace.h"
#include "target/thread_stat.h"

namespace flametap::target {
namespace {

// A running thread stops within a few microseconds, which is shorter than any sleep of ours.
constexpr Nanoseconds kSpin = 20'000;
constexpr Nanoseconds kYield = 200'000;
constexpr timespec kNap{0, 50'000};
// How long the end of a Pauser may take, for the sake of threads that are just about to stop or to die.
constexpr Nanoseconds kLastWait = 50'000'000;

// Any kind of child, of this thread only, without consuming what is seen.
constexpr int kLook = WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD;

pid_t tracer_of(pid_t tid) {
  const Result<std::string> status = read_proc_file(proc_path(tid, "status"));
  const auto field = status ? find_field(*status, "TracerPid") : std::nullopt;
  return field ? static_cast<pid_t>(std::atoi(std::string(*field).c_str())) : 0;
}

std::optional<TaskStat> stat_of(pid_t tid) {
  const Result<std::string> line = read_proc_file(proc_path(tid, "stat"));
  return line ? parse_task_stat(*line) : std::nullopt;
}

// The kernel answers EPERM for a thread that has ended, that is traced already, and that we may not trace.
PauseStatus explain_refusal(pid_t tid, int error_number) {
  if (error_number == ESRCH) return PauseStatus::gone;
  const std::optional<TaskStat> stat = stat_of(tid);
  if (!stat || stat->state == TaskState::zombie || stat->state == TaskState::dead) return PauseStatus::gone;
  return tracer_of(tid) != 0 ? PauseStatus::traced_by_other : PauseStatus::denied;
}

void consume(pid_t tid) {
  siginfo_t seen{};
  ::waitid(P_PID, static_cast<id_t>(tid), &seen, kLook & ~WNOWAIT);
}

void wait_a_little(Nanoseconds waited) {
  if (waited < kSpin) return;
  if (waited < kYield) {
    ::sched_yield();
  } else {
    ::nanosleep(&kNap, nullptr);
  }
}

}  // namespace

Pause::Pause(Pause&& other) noexcept
    : pauser_(std::exchange(other.pauser_, nullptr)),
      status_(other.status_),
      tid_(other.tid_),
      signal_(other.signal_) {}

Pause::~Pause() {
  if (pauser_ != nullptr) pauser_->let_go(tid_, signal_);
}

Pauser::Pauser(pid_t pid) : pid_(pid) { pending_.reserve(16); }

Pauser::~Pauser() {
  const Nanoseconds begin = monotonic_now();
  for (Nanoseconds waited = 0; finish_pending() != 0 && waited < kLastWait; waited = monotonic_now() - begin) {
    wait_a_little(waited);
  }
}

Pause Pauser::stop(pid_t tid, Nanoseconds timeout) {
  const Nanoseconds deadline = monotonic_now() + timeout;
  const auto pending = std::find(pending_.begin(), pending_.end(), tid);
  if (pending != pending_.end()) {
    // Seized and asked to stop already.
    pending_.erase(pending);
    return wait_for_stop(tid, deadline);
  }
  // The id may have passed on to another process's thread since it was listed. No signal is sent.
  if (::tgkill(pid_, tid, 0) != 0 && errno == ESRCH) return Pause(nullptr, PauseStatus::gone, tid, 0);
  if (trace(PTRACE_SEIZE, tid, PTRACE_O_TRACEEXEC) != 0) {
    return Pause(nullptr, explain_refusal(tid, errno), tid, 0);
  }
  // Fails only for a thread that died since, which wait_for_stop() finds out.
  trace(PTRACE_INTERRUPT, tid, 0);
  return wait_for_stop(tid, deadline);
}

Pause Pauser::wait_for_stop(pid_t tid, Nanoseconds deadline) {
  const Nanoseconds begin = monotonic_now();
  while (true) {
    Pause pause = look(tid);
    if (pause.status() != PauseStatus::timed_out) return pause;
    const Nanoseconds now = monotonic_now();
    if (now >= deadline) {
      pending_.push_back(tid);
      return pause;
    }
    wait_a_little(now - begin);
  }
}

Pause Pauser::look(pid_t& tid) {
  siginfo_t seen{};
  while (::waitid(P_PID, static_cast<id_t>(tid), &seen, kLook) != 0) {
    // No longer ours. A thread that execs goes on under the id of its process and remains traced.
    if (errno != ECHILD || tid == pid_ || tracer_of(pid_) != ::gettid()) {
      return Pause(nullptr, PauseStatus::gone, tid, 0);
    }
    tid = pid_;
  }
  if (seen.si_pid == 0) return Pause(nullptr, PauseStatus::timed_out, tid, 0);
  if (seen.si_code != CLD_TRAPPED) {
    reap(tid);
    return Pause(nullptr, PauseStatus::gone, tid, 0);
  }
  const int event = seen.si_status >> 8;
  if (event == PTRACE_EVENT_EXEC) {
    // This stop must be consumed: the kernel refuses requests to a tracee whose new id nobody has asked for. It carries
    // no signal that could be lost.
    consume(tid);
    let_go(tid, 0);
    return Pause(nullptr, PauseStatus::replaced, tid, 0);
  }
  // Without an event it is a signal about to be delivered. With PTRACE_EVENT_STOP there is nothing to deliver: it is
  // our own interruption, or SIGSTOP and the like have stopped the thread already.
  return Pause(this, PauseStatus::stopped, tid, event == 0 ? seen.si_status : 0);
}

void Pauser::let_go(pid_t tid, int signal) {
  if (trace(PTRACE_DETACH, tid, signal) == 0) return;
  // SIGKILL ends a thread also while it is stopped. It must be waited for, or its process stays a zombie.
  pending_.push_back(tid);
}

std::size_t Pauser::finish_pending() {
  // Letting go may add to the list, so each one is taken out before it is looked at, and each is looked at once.
  for (std::size_t left = pending_.size(); left > 0; --left) {
    pid_t tid = pending_.front();
    pending_.erase(pending_.begin());
    const Pause pause = look(tid);
    if (pause.status() == PauseStatus::timed_out) pending_.push_back(tid);
  }
  return pending_.size();
}

void Pauser::reap(pid_t tid) const {
  // The end of a child of our own is for those to see who started it.
  const std::optional<TaskStat> stat = stat_of(tid);
  if (tid == pid_ && stat && stat->parent == ::getpid()) return;
  consume(tid);
}

}  // namespace flametap::target
