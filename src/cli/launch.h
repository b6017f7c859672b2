// Launched: a command that we started, with our own standard input, output and error, in our own process group, so that
// the terminal's signals reach it as if it had been started by itself.
//
// Nothing reaps it but `wait`, so its pid stays its own until then. One thread only.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "cli/signals.h"
#include "target/exec_watch.h"

namespace flametap::cli {

class Launched {
 public:
  // The command could not be executed; the exit code is the one that a shell gives.
  struct Failed {
    int exit_code;
    Error error;
  };

  // Starts a command, which is not empty. Signals are shared with it as long as this object lives.
  [[nodiscard]] static std::variant<Launched, Failed> start(const std::vector<std::string>& command, Signals& signals);

  // The same, but holds the command at each program that it begins and asks `ready` about it, before any of its code
  // runs: see target/exec_watch.h. Returns when `ready` said yes, the command has ended, or the signals say stop. Where
  // it cannot be held it runs as if started by start(), and not_held() says why.
  [[nodiscard]] static std::variant<Launched, Failed> start_held(const std::vector<std::string>& command,
                                                                 Signals& signals,
                                                                 const target::ExecWatch::Ready& ready);

  Launched(Launched&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)),
        exit_code_(other.exit_code_),
        signals_(other.signals_),
        not_held_(std::move(other.not_held_)) {}
  Launched& operator=(Launched&&) = delete;
  // Leaves a command that still runs to itself.
  ~Launched();

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool ended() const;
  // Why it was not held, although asked for.
  [[nodiscard]] const std::optional<Error>& not_held() const { return not_held_; }
  // Waits until it ends; its exit code, or 128 + the number of the signal that ended it.
  int wait();

 private:
  Launched(pid_t pid, Signals& signals) : pid_(pid), signals_(signals) {}

  // `ready` may be null: not held.
  static std::variant<Launched, Failed> begin(const std::vector<std::string>& command, Signals& signals,
                                              const target::ExecWatch::Ready* ready);
  // Closes `go`, upon which it executes the command; returns as start_held() does.
  void run_on(Fd go, const target::ExecWatch::Ready* ready);

  pid_t pid_;
  int exit_code_ = -1;
  Signals& signals_;
  std::optional<Error> not_held_;
};

// Exit codes of a command win over ours: scripts around it rely on them.
[[nodiscard]] inline int own_code_unless(int command_code, int own_code) {
  return command_code != 0 ? command_code : own_code;
}

}  // namespace flametap::cli
