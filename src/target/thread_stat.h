// ThreadStat, ThreadSchedstat, ThreadSyscall: what the kernel says about one thread, asked often. They keep their file
// of /proc open: a read is one pread without allocation, and an id that is given to another thread later is noticed,
// because the open file stays bound to the first one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"

namespace flametap::target {

enum class TaskState : char {
  running = 'R',          // on a CPU or waiting for one
  sleeping = 'S',         // wakes up for a signal
  uninterruptible = 'D',  // mostly waits for a disk; cannot be stopped
  stopped = 'T',          // by SIGSTOP and the like
  traced = 't',           // by a tracer, which holds it
  zombie = 'Z',
  dead = 'X',
  idle = 'I',    // kernel threads only
  parked = 'P',  // kernel threads only
};

// A line of /proc/PID/stat or /proc/PID/task/TID/stat.
struct TaskStat {
  TaskState state{};
  pid_t parent = 0;
  bool kernel_thread = false;
  bool ending = false;           // it will never be back in its program. Closing its files may take the kernel a while.
  std::uint64_t cpu_ticks = 0;   // utime + stime, in units of 1/sysconf(_SC_CLK_TCK) s
  std::uint64_t start_time = 0;  // the same units, since boot
  int processor = 0;             // the CPU it runs on, or ran on last
};

[[nodiscard]] std::optional<TaskStat> parse_task_stat(std::string_view line);

// From such a line of a process that has ended: its wait status, as waitpid() gives it. It is 0 for those who may not
// trace the process.
[[nodiscard]] std::optional<int> parse_wait_status(std::string_view line);

struct TaskSchedstat {
  Nanoseconds run_time = 0;   // of a thread on a CPU, the kernel brings it up to date at its own ticks only
  Nanoseconds wait_time = 0;  // ready to run, but without a CPU
  std::uint64_t slices = 0;   // how often it was put on a CPU
  // A thread whose answers are the same before and after has not run in between.
  bool operator==(const TaskSchedstat&) const = default;
};

[[nodiscard]] std::optional<TaskSchedstat> parse_task_schedstat(std::string_view line);

// How a thread sleeps.
struct TaskSyscall {
  std::int64_t number = 0;  // of its system call; -1: in none, as when it waits for a page of its memory
  std::uint64_t first_argument = 0;
  // Where it goes on when the call is done, and its stack then. All that the kernel tells of its registers.
  std::uint64_t stack_pointer = 0;
  std::uint64_t program_counter = 0;

  bool operator==(const TaskSyscall&) const = default;
};

// The address of the word that another thread is to change, if it sleeps on one (a lock, a condition variable).
[[nodiscard]] std::optional<std::uint64_t> futex_of(const TaskSyscall& call);

// Nothing if it runs.
[[nodiscard]] std::optional<TaskSyscall> parse_task_syscall(std::string_view line);

class ThreadStat {
 public:
  [[nodiscard]] static Result<ThreadStat> open(pid_t pid, pid_t tid);
  // Of any file that holds such a line.
  explicit ThreadStat(Fd file) : file_(std::move(file)) {}
  // Nothing when the thread has ended, or is about to: its memory may be another's already.
  [[nodiscard]] std::optional<TaskStat> read() const;

 private:
  Fd file_;
};

class ThreadSchedstat {
 public:
  // Fails where the kernel was built without CONFIG_SCHED_INFO.
  [[nodiscard]] static Result<ThreadSchedstat> open(pid_t pid, pid_t tid);
  // Of any file that holds such a line.
  explicit ThreadSchedstat(Fd file) : file_(std::move(file)) {}
  // Nothing when the thread is gone.
  [[nodiscard]] std::optional<TaskSchedstat> read() const;

 private:
  Fd file_;
};

class ThreadSyscall {
 public:
  // Fails where we may not trace the process, and where the kernel was built without CONFIG_HAVE_ARCH_TRACEHOOK.
  [[nodiscard]] static Result<ThreadSyscall> open(pid_t pid, pid_t tid);
  // Nothing if it runs or is gone.
  [[nodiscard]] std::optional<TaskSyscall> read() const;
  // See futex_of().
  [[nodiscard]] std::optional<std::uint64_t> read_futex() const;

 private:
  explicit ThreadSyscall(Fd file) : file_(std::move(file)) {}
  Fd file_;
};

}  // namespace flametap::target
