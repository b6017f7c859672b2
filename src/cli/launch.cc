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

// In the forked child. Returns only if it cannot be executed; the reason goes through the pipe.
[[noreturn]] void execute(std::vector<char*>& words, const Signals& signals, int reason_pipe) {
  signals.restore();
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

Launched::Failed cannot_start(const std::string& what, int reason) {
  return {static_cast<int>(Failure::failed), errno_error("cannot start a command: " + what, reason)};
}

}  // namespace

std::variant<Launched, Launched::Failed> Launched::start(const std::vector<std::string>& command, Signals& signals) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return cannot_start("pipe", errno);
  const Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return cannot_start("fork", errno);
  if (pid == 0) execute(words, signals, write_end.get());
  Launched launched(pid, signals);
  signals.share_with(pid);
  { const Fd closed = std::move(write_end); }  // the child has the only writing end now
  const int reason = wait_for_exec(read_end.get());
  if (reason == 0) return launched;
  static_cast<void>(launched.wait());
  const bool absent = reason == ENOENT || reason == ENOTDIR;
  return Failed{absent ? kNoSuchCommand : kNotExecutable,
                {Failure::failed, "cannot run " + command.front() + ": " + std::strerror(reason), ""}};
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
