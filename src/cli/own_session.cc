#include "cli/own_session.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>

namespace flametap::cli {
namespace {

constexpr int kFromTerminal = 1;  // what a signal that is passed on carries
constexpr std::array kPassedOn = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

// Signal handlers find their child through it; 0: there is none.
std::atomic<pid_t> child = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free);

std::atomic<pid_t> parent = 0;  // in the child

void pass_on(int number, siginfo_t* info, void*) {
  const int saved = errno;
  const pid_t to = child;
  if (number == SIGTSTP) {
    // The child is not of this terminal, which would stop it, too.
    ::kill(to, SIGSTOP);
    ::raise(SIGSTOP);
  } else if (number == SIGCONT) {
    ::kill(to, SIGCONT);
  } else {
    sigval value{};
    value.sival_int = info->si_code == SI_KERNEL ? kFromTerminal : 0;
    ::sigqueue(to, number, value);
  }
  errno = saved;
}

// As nohup and shells without job control want it. What else is ignored, a recording catches all the same: see Signals.
bool stays_ignored(int number) { return number == SIGHUP || number == SIGTSTP || number == SIGCONT; }

// The signals that are passed on; what was to become of them before.
class PassedOn {
 public:
  PassedOn() {
    ::sigemptyset(&signals_);
    for (const int number : kPassedOn) ::sigaddset(&signals_, number);
    ::sigprocmask(SIG_BLOCK, &signals_, &mask_);  // until there is a child to pass them on to
    for (std::size_t i = 0; i < kPassedOn.size(); ++i) {
      ::sigaction(kPassedOn[i], nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN && stays_ignored(kPassedOn[i])) continue;
      struct sigaction action {};
      action.sa_sigaction = pass_on;
      action.sa_flags = SA_SIGINFO | SA_RESTART;
      action.sa_mask = signals_;
      ::sigaction(kPassedOn[i], &action, nullptr);
    }
  }
  void begin() const { ::sigprocmask(SIG_SETMASK, &mask_, nullptr); }
  // In the child: as if we had never touched them.
  void restore() const {
    for (std::size_t i = 0; i < kPassedOn.size(); ++i) ::sigaction(kPassedOn[i], &before_[i], nullptr);
    begin();
  }

 private:
  sigset_t signals_{};
  sigset_t mask_{};
  std::array<struct sigaction, kPassedOn.size()> before_{};
};

int end_like(int status) {
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  const int number = WTERMSIG(status);
  ::signal(number, SIG_DFL);
  ::raise(number);
  return 128 + number;  // one that is blocked, or ignored for good
}

}  // namespace

int run_apart(bool starts_command, const std::function<int()>& work) {
  if (!starts_command && ::getsid(0) == ::getpid()) return work();
  const pid_t us = ::getpid();
  const PassedOn signals;
  const pid_t forked = ::fork();
  if (forked == 0) {
    parent = us;
    signals.restore();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != us) ::_exit(128 + SIGKILL);  // it has ended meanwhile
    return work();
  }
  if (forked < 0) {
    signals.restore();
    return work();
  }
  child = forked;
  signals.begin();
  int status = 0;
  while (::waitpid(forked, &status, 0) < 0 && errno == EINTR) {
  }
  signals.restore();  // none goes to a process that has the child's id after it
  return end_like(status);
}

void leave_session() {
  if (parent != 0) ::setsid();
}

bool is_passed_on_from_terminal(const siginfo_t& signal) {
  return signal.si_code == SI_QUEUE && signal.si_pid == parent && signal.si_value.sival_int == kFromTerminal;
}

}  // namespace flametap::cli
