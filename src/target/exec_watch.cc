#include "target/exec_watch.h"

#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>

#include "target/auxv.h"
#include "target/proc_file.h"
#include "target/ptrace.h"

namespace flametap::target {
namespace {

// SIGCHLD tells of every stop at once; this is for whoever ignores that signal.
constexpr timespec kGlance{0, 20'000'000};

// Keeps SIGCHLD for sigtimedwait, so that none comes unseen between a look and the wait.
class ChildSignal {
 public:
  ChildSignal() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGCHLD);
    ::pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ChildSignal(const ChildSignal&) = delete;
  ChildSignal& operator=(const ChildSignal&) = delete;
  ~ChildSignal() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  void wait() const { ::sigtimedwait(&set_, nullptr, &kGlance); }

 private:
  sigset_t set_{};
  sigset_t before_{};
};

// A SIGTRAP of ours would reach it late, when nobody is there to take it away.
bool blocks_trap(const Process& process) {
  const Result<std::string> status = process.read_file("status");
  const auto blocked = status ? find_field(*status, "SigBlk") : std::nullopt;
  if (!blocked) return true;
  return (std::strtoull(std::string(*blocked).c_str(), nullptr, 16) & (1ULL << (SIGTRAP - 1))) != 0;
}

}  // namespace

Result<ExecWatch> ExecWatch::attach(pid_t child) {
  if (trace(PTRACE_SEIZE, child, PTRACE_O_TRACEEXEC) != 0)
    return errno_error("cannot trace process " + std::to_string(child), errno);
  return ExecWatch(child);
}

ExecWatch::ExecWatch(ExecWatch&& other) noexcept
    : child_(std::exchange(other.child_, 0)), entry_(std::move(other.entry_)) {
  other.entry_.reset();
}

ExecWatch::~ExecWatch() {
  if (child_ != 0) let_go();
}

ExecWatch::Outcome ExecWatch::run(const Ready& ready, const std::atomic<bool>& stop) {
  for (;;) {
    const Seen seen = wait(&stop);
    if (seen.event == Event::none) {
      let_go();
      return Outcome::stopped;
    }
    if (seen.event == Event::ended) {
      entry_.reset();
      child_ = 0;
      return Outcome::ended;
    }
    if (ask(seen.event, ready)) {
      detach(seen);
      return Outcome::ready;
    }
    resume(seen);
  }
}

ExecWatch::Seen ExecWatch::look() const {
  siginfo_t info{};
  constexpr int kLook = WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL;
  if (::waitid(P_PID, static_cast<id_t>(child_), &info, kLook) != 0) return {Event::ended};
  if (info.si_pid == 0) return {Event::none};
  if (info.si_code != CLD_TRAPPED) return {Event::ended};
  const int signal = info.si_status & 0xff;
  const int event = info.si_status >> 8;
  if (event == 0 && entry_ && entry_->reached()) return {Event::entry};
  if (event == 0) return {Event::signal, signal};
  // No other stop has a signal that could be lost, and the kernel wants this one to be taken notice of.
  ::waitid(P_PID, static_cast<id_t>(child_), &info, kLook & ~(WNOWAIT | WEXITED));
  if (event == PTRACE_EVENT_EXEC) return {Event::exec};
  // PTRACE_INTERRUPT and the end of a group stop say SIGTRAP.
  return {event == PTRACE_EVENT_STOP && signal != SIGTRAP ? Event::group_stop : Event::other};
}

ExecWatch::Seen ExecWatch::wait(const std::atomic<bool>* stop) const {
  const ChildSignal child_signal;
  for (;;) {
    const Seen seen = look();
    if (seen.event != Event::none || (stop != nullptr && *stop)) return seen;
    child_signal.wait();
  }
}

bool ExecWatch::ask(Event event, const Ready& ready) {
  if (event != Event::exec && event != Event::entry) return false;
  entry_.reset();
  const Result<Process> process = Process::open(child_);
  if (!process) return false;  // killed meanwhile
  if (ready(*process)) return true;
  if (event == Event::exec) stop_at_entry(*process);
  return false;
}

void ExecWatch::stop_at_entry(const Process& process) {
  const Auxv auxv = read_auxv(process);
  // Without a loader the program is mapped whole already.
  if (auxv.loader == kNull || auxv.entry == kNull || blocks_trap(process)) return;
  // Where this fails, the next question comes with the next exec.
  if (Result<Breakpoint> breakpoint = Breakpoint::set(child_, auxv.entry)) entry_.emplace(*std::move(breakpoint));
}

void ExecWatch::resume(const Seen& seen) {
  // A stopped child stays stopped, yet notices SIGCONT.
  if (seen.event == Event::group_stop) {
    trace(PTRACE_LISTEN, child_, 0);
  } else {
    trace(PTRACE_CONT, child_, seen.signal);
  }
}

void ExecWatch::detach(const Seen& seen) {
  entry_.reset();
  trace(PTRACE_DETACH, child_, seen.signal);
  child_ = 0;
}

void ExecWatch::let_go() {
  trace(PTRACE_INTERRUPT, child_, 0);
  detach(wait(nullptr));
}

}  // namespace flametap::target
