// Pause: one thread of the target, stopped with ptrace for as long as this object lives.
// Pauser: makes them, and sees to it that every thread it ever touched is let go.
//
// The promise is that the target is never left stopped and loses no signal, whatever happens to us:
// - PTRACE_SEIZE sends no signal, and the kernel lets a tracee go when its tracer dies.
// - A thread that was about to take a signal takes it when it is let go, once. The stop is looked at, but not consumed
//   (WNOWAIT), because the kernel forgets the signal of a consumed stop if the tracer is killed before it detaches.
// - A thread in uninterruptible sleep does not stop, and cannot be detached before it did. It is kept as pending and
// let
//   go as soon as it stops: call finish_pending() often while has_pending().
// - A thread that SIGSTOP had stopped before is stopped afterwards.
//
// A stop is not invisible to a thread that sleeps: epoll_wait, semop, sigtimedwait and a few other system calls return
// EINTR after it. A sleeping thread does not change its stack, so there is no need to stop it.
//
// Threads: the kernel binds a tracee to the thread that seized it. From its first pause on, use a Pauser and
// destroy it in one thread, and end that thread soon after (its end makes the kernel let go whatever is still pending).
// If the target is our own child, no other thread may wait for it with waitpid while a pause may be going on; poll its
// pidfd instead.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

#include "base/clock.h"

namespace flametap::target {

enum class PauseStatus {
  stopped,
  gone,             // the thread ended
  replaced,         // it began another program (exec) before it stopped, and was let go
  traced_by_other,  // a debugger or strace holds it
  denied,           // we lack the rights
  timed_out,        // it did not stop in time; pending
};

class Pauser;

class Pause {
 public:
  Pause(Pause&& other) noexcept;
  Pause& operator=(Pause&&) = delete;
  // Lets the thread go.
  ~Pause();

  [[nodiscard]] PauseStatus status() const { return status_; }
  explicit operator bool() const { return status_ == PauseStatus::stopped; }
  [[nodiscard]] pid_t tid() const { return tid_; }
  // The signal that the thread takes as soon as it is let go; 0 if it was not about to take one.
  [[nodiscard]] int signal() const { return signal_; }

 private:
  friend class Pauser;
  Pause(Pauser* pauser, PauseStatus status, pid_t tid, int signal)
      : pauser_(pauser), status_(status), tid_(tid), signal_(signal) {}

  Pauser* pauser_;  // null: nothing to let go
  PauseStatus status_;
  pid_t tid_;
  int signal_;
};

class Pauser {
 public:
  // For the threads of the process `pid`.
  explicit Pauser(pid_t pid);
  Pauser(const Pauser&) = delete;
  Pauser& operator=(const Pauser&) = delete;
  ~Pauser();

  // Stops one thread; waits for it at most `timeout`. The Pauser must outlive the Pause. Allocates nothing unless it
  // times out.
  [[nodiscard]] Pause stop(pid_t tid, Nanoseconds timeout);

  // Lets go the pending threads that have stopped by now; says how many are left. Never blocks.
  std::size_t finish_pending();
  [[nodiscard]] bool has_pending() const { return !pending_.empty(); }

 private:
  friend class Pause;

  [[nodiscard]] Pause wait_for_stop(pid_t tid, Nanoseconds deadline);
  // One look at a thread that we hold: what to do with it, or `timed_out` if it still runs. `tid` may become that of
  // the process, whose id a thread takes over when it execs.
  [[nodiscard]] Pause look(pid_t& tid);
  void let_go(pid_t tid, int signal);
  void reap(pid_t tid) const;

  pid_t pid_;
  std::vector<pid_t> pending_;
};

}  // namespace flametap::target
