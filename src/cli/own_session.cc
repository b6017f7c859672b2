#include "cli/own_session.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>

#include "base/result.h"

namespace flametap::cli {
namespace {

constexpr int kFromTerminal = 1;  // the value of a signal that is passed on, if the terminal sent it
constexpr std::array kPassedOn = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

// Signal handlers find their child through it; 0: there is none.
std::atomic<pid_t> child = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free);

std::atomic<pid_t> parent = 0;  // in the child

std::atomic<bool> has_left = false;  // the child has left the session

// Stops the child, which the terminal does not stop since it has left the session, and then us. The kernel discards our
// own stop where no shell could let us go on: then the child goes on as well.
void stop_together(pid_t to) {
  ::kill(to, SIGSTOP);
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  struct sigaction ours {};
  ::sigaction(SIGTSTP, &by_default, &ours);
  sigset_t stop{};
  sigset_t mask{};
  ::sigemptyset(&stop);
  ::sigaddset(&stop, SIGTSTP);
  ::raise(SIGTSTP);
  ::sigprocmask(SIG_UNBLOCK, &stop, &mask);  // here we stop
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::sigaction(SIGTSTP, &ours, nullptr);
  ::kill(to, SIGCONT);
}

void pass_on(int number, siginfo_t* info, void*) {
  const int saved = errno;
  const pid_t to = child;
  if (number == SIGTSTP) {
    stop_together(to);
  } else if (number == SIGCONT) {
    ::kill(to, SIGCONT);
  } else {
    sigval value{};
    value.sival_int = info->si_code == SI_KERNEL ? kFromTerminal : 0;
    ::sigqueue(to, number, value);
  }
  errno = saved;
}

// As nohup and shells without job control want it. A recording catches the others even if they were ignored: see
// Signals.
bool stays_ignored(int number) { return number == SIGHUP || number == SIGTSTP || number == SIGCONT; }

// The signals that are passed on, and their dispositions before.
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
  const rlimit none{};
  ::setrlimit(RLIMIT_CORE, &none);  // the child has left one if it was to; ours would tell nothing
  ::signal(number, SIG_DFL);
  ::raise(number);
  return 128 + number;  // a signal that is blocked
}

}  // namespace

int run_apart(bool starts_command, const std::function<int()>& work) {
  if (!starts_command && ::getsid(0) == ::getpid()) return work();
  const pid_t us = ::getpid();
  const PassedOn signals;
  struct sigaction children {};  // if they are ignored, nobody can tell how the child ended
  children.sa_handler = SIG_DFL;
  struct sigaction children_before {};
  ::sigaction(SIGCHLD, &children, &children_before);
  const pid_t forked = ::fork();
  if (forked == 0) {
    parent = us;
    ::sigaction(SIGCHLD, &children_before, nullptr);
    signals.restore();
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != us) ::_exit(128 + SIGKILL);  // it has ended meanwhile
    return work();
  }
  if (forked < 0) {
    ::sigaction(SIGCHLD, &children_before, nullptr);
    signals.restore();
    return work();
  }
  child = forked;
  signals.begin();
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(forked), &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  signals.restore();  // before another process can have the child's id
  int status = 0;
  const bool is_known = ::waitpid(forked, &status, 0) == forked;
  return is_known ? end_like(status) : static_cast<int>(Failure::failed);
}

void leave_session() {
  if (parent != 0 && ::setsid() > 0) has_left = true;
}

bool is_passed_on_from_terminal(const siginfo_t& signal) {
  return signal.si_code == SI_QUEUE && signal.si_pid == parent && signal.si_value.sival_int == kFromTerminal;
}

bool is_passed_on_twice(const siginfo_t& signal) { return is_passed_on_from_terminal(signal) && !has_left; }

}  // namespace flametap::cli
