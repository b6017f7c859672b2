#include "cli/signals.h"

#include <cassert>
#include <cerrno>

#include "cli/own_session.h"

namespace flametap::cli {
namespace {

std::atomic<Signals*> current = nullptr;
static_assert(std::atomic<Signals*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);

// SIGHUP stays ignored under nohup. SIGINT does not: a script's background jobs ignore it, yet `kill -INT` means it.
bool stays_ignored(int number, const struct sigaction& before) {
  return before.sa_handler == SIG_IGN && number == SIGHUP;
}

}  // namespace

Signals::Signals() {
  assert(current == nullptr);
  current = this;
  for (std::size_t i = 0; i < kCaught.size(); ++i) {
    sigaction(kCaught[i], nullptr, &before_[i]);
    if (stays_ignored(kCaught[i], before_[i])) continue;
    struct sigaction action {};
    sigemptyset(&action.sa_mask);
    if (kCaught[i] == SIGPIPE) {
      action.sa_handler = SIG_IGN;
    } else if (kCaught[i] == SIGCHLD) {
      action.sa_handler = SIG_DFL;  // where it is ignored, nobody can tell how the command ended
    } else {
      action.sa_sigaction = on_signal;
      action.sa_flags = SA_SIGINFO;  // no SA_RESTART: whoever waits is to look at `stop`
    }
    sigaction(kCaught[i], &action, nullptr);
  }
}

Signals::~Signals() {
  restore();
  current = nullptr;
}

void Signals::restore() const {
  for (std::size_t i = 0; i < kCaught.size(); ++i) sigaction(kCaught[i], &before_[i], nullptr);
}

void Signals::on_signal(int number, siginfo_t* info, void*) {
  if (is_passed_on_twice(*info)) return;
  const int saved = errno;
  const bool from_terminal = info->si_code == SI_KERNEL || is_passed_on_from_terminal(*info);
  if (Signals* const signals = current) signals->handle(number, from_terminal);
  errno = saved;
}

// Runs inside a signal handler: only atomics and kill().
void Signals::handle(int number, bool from_terminal) {
  const pid_t command = command_;
  if (number == SIGUSR1 || number == SIGUSR2) {
    if (command > 0) ::kill(command, number);
    return;
  }
  ++requests_to_end_;
  if (command <= 0) {
    stop_ = true;
    return;
  }
  const bool first_interrupt = number == SIGINT && ++interrupts_ == 1;
  if (!first_interrupt) stop_ = true;
  // The terminal sends its signals to the command as well. A second SIGINT says that the first one was not enough.
  if (number == SIGINT && !first_interrupt) {
    ::kill(command, SIGTERM);
  } else if (!from_terminal) {
    ::kill(command, number);
  }
}

}  // namespace flametap::cli
