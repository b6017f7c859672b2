// Launched: a command that we started, with our own standard input, output and error, in our own process group, so that
// the terminal's signals reach it as if it had been started by itself.
//
// Nothing reaps it but `wait`, so its pid stays its own until then. One thread only.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "cli/signals.h"

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

  Launched(Launched&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)), exit_code_(other.exit_code_), signals_(other.signals_) {}
  Launched& operator=(Launched&&) = delete;
  // Leaves a command that still runs to itself.
  ~Launched();

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool ended() const;
  // Waits until it ends; its exit code, or 128 + the number of the signal that ended it.
  int wait();

 private:
  Launched(pid_t pid, Signals& signals) : pid_(pid), signals_(signals) {}

  pid_t pid_;
  int exit_code_ = -1;
  Signals& signals_;
};

}  // namespace flametap::cli
