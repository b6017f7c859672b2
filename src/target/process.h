// Process: one process from outside, by its identity rather than by its number.
//
// Holds a pidfd and the open folder /proc/PID, both bound to the process that was opened: when the pid is given to
// another process, every question fails, none is answered about the wrong one. Every answer is of the moment it was
// asked; a process may exec, fork and start threads at any time. Any thread may ask.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "target/maps.h"
#include "target/thread_stat.h"

namespace flametap::target {

class Process {
 public:
  struct Status {
    TaskState state{};  // of its main thread
    pid_t tracer = 0;   // the thread that traces its main thread, or 0
    uid_t real_uid = 0;
    uid_t effective_uid = 0;
    uid_t saved_uid = 0;
  };
  // A thread's id here and, if the process lives in a pid namespace of its own, the id that it sees itself.
  struct ThreadIds {
    pid_t tid = 0;
    pid_t inner_tid = 0;
  };

  // Fails for a zombie, a kernel thread, and the id of a thread that is not a process, each with its own message.
  [[nodiscard]] static Result<Process> open(pid_t pid);

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Together with the pid this names a process for as long as the machine is up: ticks since boot.
  [[nodiscard]] std::uint64_t start_time() const { return start_time_; }
  // Readable, for poll(), once the process has ended.
  [[nodiscard]] int pidfd() const { return pidfd_.get(); }
  // Whether it has not ended. A zombie has.
  [[nodiscard]] bool alive() const;
  // Whether it has ended or is about to: it has no memory any more, and its files in /proc may belong to root.
  [[nodiscard]] bool ending() const;
  // How it ended, if it has or is about to: its wait status, as waitpid() gives it. Nothing if that cannot be known:
  // without the right to trace it, and before Linux 6.15 once its parent has waited for it.
  [[nodiscard]] std::optional<int> wait_status() const;

  [[nodiscard]] Result<Status> status() const;
  [[nodiscard]] Result<std::vector<std::string>> command_line() const;
  // The same as one text, for people: words separated by blanks; empty if it cannot be read.
  [[nodiscard]] std::string command() const;
  [[nodiscard]] Result<std::string> comm() const;
  // The kernel's name of one of its threads; empty if it cannot be read.
  [[nodiscard]] std::string thread_name(pid_t tid) const;
  // As the process itself sees it; ends in " (deleted)" when the file is gone.
  [[nodiscard]] Result<std::string> exe_path() const;
  [[nodiscard]] Result<Maps> maps() const;

  [[nodiscard]] Result<std::vector<pid_t>> threads() const;
  [[nodiscard]] Result<std::vector<ThreadIds>> thread_ids() const;
  [[nodiscard]] Result<bool> same_mount_namespace() const;
  // Whether it sees itself under another pid than we do.
  [[nodiscard]] Result<bool> in_pid_namespace() const;

  // "/proc/PID/name"; what is opened there must be checked against alive() afterwards.
  [[nodiscard]] std::string path(std::string_view name) const;
  // The text of a file in its folder of /proc.
  [[nodiscard]] Result<std::string> read_file(const std::string& name) const;
  // Opens a file in its folder of /proc.
  [[nodiscard]] Result<Fd> open_file(const std::string& name, int flags) const;

 private:
  Process(pid_t pid, std::uint64_t start_time, Fd pidfd, Fd folder)
      : pid_(pid), start_time_(start_time), pidfd_(std::move(pidfd)), folder_(std::move(folder)) {}

  pid_t pid_;
  std::uint64_t start_time_;
  Fd pidfd_;
  Fd folder_;
};

}  // namespace flametap::target
