// Signals: what the signals that reach flametap do to a recording.
//
// While a Signals lives, SIGINT, SIGTERM, SIGHUP and SIGQUIT set `stop`. Beside a command that we started they are its
// own affair too: what only we were sent is passed on, and the first SIGINT does not stop the recording, because the
// command decides whether it ends. A closed pipe is an error of the write, not a signal. The destructor puts back what
// was there before. At most one at a time: a signal handler finds its object through a global.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>

namespace flametap::cli {

class Signals {
 public:
  Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals();

  [[nodiscard]] const std::atomic<bool>& stop() const { return stop_; }
  // How often somebody wanted an end, of us or of the command: for what goes on after the recording has stopped.
  [[nodiscard]] int requests_to_end() const { return requests_to_end_; }

  // From now on signals are for this command, too; 0: it is gone.
  void share_with(pid_t command) { command_ = command; }

  // For a forked child, before it executes another program: as if we had never touched a signal.
  void restore() const;

 private:
  static constexpr std::array kCaught = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGCHLD};

  static void on_signal(int number, siginfo_t* info, void*);
  void handle(int number, bool from_terminal);

  std::atomic<bool> stop_ = false;
  std::atomic<int> requests_to_end_ = 0;
  std::atomic<pid_t> command_ = 0;
  std::atomic<int> interrupts_ = 0;
  std::array<struct sigaction, kCaught.size()> before_{};
};

}  // namespace flametap::cli
