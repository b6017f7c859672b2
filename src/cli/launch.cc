#include "cli/launch.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/fd.h"

namespace flametap::cli {
namespace {

constexpr int kNoSuchCommand = 127;
constexpr int kNotExecutable = 126;

struct Pipe {
  Fd read_end;
  Fd write_end;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno_error("pipe", errno);
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

// In the forked child, which executes the command when the other end of `go` is closed. Returns only if that fails; the
// reason goes through the pipe.
[[noreturn]] void execute(std::vector<char*>& words, const Signals& signals, int go, int reason_pipe) {
  signals.restore();
  char none = 0;
  while (::read(go, &none, 1) < 0 && errno == EINTR) {
  }
  ::execvp(words.front(), words.data());
  const int reason = errno;
  // Should even this fail, the parent sees a command that ended with 127.
  [[maybe_unused]] const ssize_t written = ::write(reason_pipe, &reason, sizeof reason);
  ::_exit(kNoSuchCommand);
}

// The errno of the exec that failed, or 0: a successful exec closes the pipe.
int wait_for_exec(int reason_pipe) {
  int reason = 0;
  for (;;) {
    const ssize_t got = ::read(reason_pipe, &reason, sizeof reason);
    if (got < 0 && errno == EINTR) continue;
    return got == sizeof reason ? reason : 0;
  }
}

Launched::Failed cannot_start(const Error& error) {
  return {static_cast<int>(Failure::failed), error.within("cannot start a command")};
}

}  // namespace

std::variant<Launched, Launched::Failed> Launched::start(const std::vector<std::string>& command, Signals& signals) {
  return begin(command, signals, nullptr);
}

std::variant<Launched, Launched::Failed> Launched::start_held(const std::vector<std::string>& command, Signals& signals,
                                                              const target::ExecWatch::Ready& ready) {
  return begin(command, signals, &ready);
}

std::variant<Launched, Launched::Failed> Launched::begin(const std::vector<std::string>& command, Signals& signals,
                                                         const target::ExecWatch::Ready* ready) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  Result<Pipe> go = make_pipe();
  Result<Pipe> reasons = make_pipe();
  if (!go || !reasons) return cannot_start(go ? reasons.error() : go.error());
  const pid_t pid = ::fork();
  if (pid < 0) return cannot_start(errno_error("fork", errno));
  if (pid == 0) {
    ::close(go->write_end.release());
    execute(words, signals, go->read_end.get(), reasons->write_end.get());
  }
  Launched launched(pid, signals);
  signals.share_with(pid);
  { const Fd closed = std::move(reasons->write_end); }  // the child has the only writing end now
  launched.run_on(std::move(go->write_end), ready);
  const int reason = wait_for_exec(reasons->read_end.get());
  if (reason == 0) return launched;
  static_cast<void>(launched.wait());
  const bool absent = reason == ENOENT || reason == ENOTDIR;
  return Failed{absent ? kNoSuchCommand : kNotExecutable,
                {Failure::failed, "cannot run " + command.front() + ": " + std::strerror(reason), ""}};
}

void Launched::run_on(Fd go, const target::ExecWatch::Ready* ready) {
  if (ready == nullptr) return;
  Result<target::ExecWatch> watch = target::ExecWatch::attach(pid_);
  { const Fd closed = std::move(go); }
  if (watch) {
    static_cast<void>(watch->run(*ready, signals_.stop()));
  } else {
    not_held_ = watch.error().within("cannot hold the command before it begins");
  }
}

Launched::~Launched() {
  if (pid_ > 0) signals_.share_with(0);
}

bool Launched::ended() const {
  if (exit_code_ >= 0) return true;
  siginfo_t info{};
  // Only looks: it stays a zombie until `wait`.
  if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return true;
  // While it is traced by us, its stops are reported too.
  return info.si_pid == pid_ && info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED;
}

int Launched::wait() {
  if (exit_code_ >= 0) return exit_code_;
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  signals_.share_with(0);  // before its pid can become somebody else's
  int status = 0;
  // While it is traced by us, its stops are reported too.
  while ((::waitpid(pid_, &status, 0) < 0 && errno == EINTR) || WIFSTOPPED(status)) {
  }
  exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return exit_code_;
}

}  // namespace flametap::cli
