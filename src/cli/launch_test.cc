#include "cli/launch.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "target/process_tree.h"

namespace flametap::cli {
namespace {

int exit_code_of(const std::vector<std::string>& command) {
  Signals signals;
  auto started = Launched::start(command, signals);
  if (const auto* const failed = std::get_if<Launched::Failed>(&started)) return failed->exit_code;
  return std::get<Launched>(started).wait();
}

TEST(Launch, ExitCodeIsTheCommandsOwn) {
  EXPECT_EQ(exit_code_of({"true"}), 0);
  EXPECT_EQ(exit_code_of({"sh", "-c", "exit 7"}), 7);
}

TEST(Launch, ASignalCountsAsItDoesInAShell) {
  EXPECT_EQ(exit_code_of({"sh", "-c", "kill -TERM $$"}), 128 + SIGTERM);
  EXPECT_EQ(exit_code_of({"sh", "-c", "kill -KILL $$"}), 128 + SIGKILL);
}

TEST(Launch, WhatCannotBeExecuted) {
  EXPECT_EQ(exit_code_of({"/nonexistent/command"}), 127);
  EXPECT_EQ(exit_code_of({"/dev/null"}), 126);
  EXPECT_EQ(exit_code_of({"/"}), 126);
}

TEST(Launch, TheCommandFindsSignalsAsTheyWere) {
  // SIGPIPE, which we ignore, would be inherited as ignored.
  EXPECT_EQ(exit_code_of({"sh", "-c", "kill -PIPE $$"}), 128 + SIGPIPE);
}

TEST(Launch, ASignalToUsIsPassedOn) {
  Signals signals;
  auto started = Launched::start({"sh", "-c", "trap 'exit 3' USR1; while :; do :; done & wait"}, signals);
  Launched& command = std::get<Launched>(started);
  while (target::descendants(command.pid()).empty()) ASSERT_FALSE(command.ended());  // then the trap is set
  const pid_t loop = target::descendants(command.pid()).front();
  ::raise(SIGUSR1);
  EXPECT_EQ(command.wait(), 3);
  ::kill(loop, SIGKILL);
  EXPECT_FALSE(signals.stop());
}

// Held, about to begin nothing that anybody waits for.
int held_exit_code_of(const std::vector<std::string>& command) {
  Signals signals;
  auto started = Launched::start_held(command, signals, [](const target::Process&) { return false; });
  if (const auto* const failed = std::get_if<Launched::Failed>(&started)) return failed->exit_code;
  return std::get<Launched>(started).wait();
}

TEST(Launch, HeldTheExitCodeIsTheSame) {
  EXPECT_EQ(held_exit_code_of({"true"}), 0);
  EXPECT_EQ(held_exit_code_of({"sh", "-c", "exit 7"}), 7);
  EXPECT_EQ(held_exit_code_of({"sh", "-c", "kill -TERM $$"}), 128 + SIGTERM);
  EXPECT_EQ(held_exit_code_of({"sh", "-c", "kill -KILL $$"}), 128 + SIGKILL);
  EXPECT_EQ(held_exit_code_of({"sh", "-c", "kill -PIPE $$"}), 128 + SIGPIPE);
  EXPECT_EQ(held_exit_code_of({"/nonexistent/command"}), 127);
  EXPECT_EQ(held_exit_code_of({"/dev/null"}), 126);
}

TEST(Launch, HeldUntilTheRightProgramBegins) {
  Signals signals;
  std::vector<std::string> asked;
  auto started = Launched::start_held({"env", "sh", "-c", "exit 9"}, signals, [&](const target::Process& process) {
    asked.push_back(process.comm().value());
    return asked.back() == "sh";
  });
  Launched& command = std::get<Launched>(started);
  EXPECT_FALSE(command.not_held());
  EXPECT_EQ(asked, (std::vector<std::string>{"env", "env", "sh"}));
  EXPECT_EQ(command.wait(), 9);
}

TEST(Launch, ASignalToUsReachesAHeldCommand) {
  Signals signals;
  auto started = Launched::start_held({"sh", "-c", "trap 'exit 3' USR1; kill -USR1 $PPID; while :; do :; done"},
                                      signals, [](const target::Process&) { return false; });
  EXPECT_EQ(std::get<Launched>(started).wait(), 3);
}

TEST(Launch, ASignalThatStopsUsEndsTheHolding) {
  Signals signals;
  auto started =
      Launched::start_held({"sh", "-c", "trap 'exit 3' USR1; trap : TERM; kill -TERM $PPID; while :; do :; done"},
                           signals, [](const target::Process&) { return false; });
  Launched& command = std::get<Launched>(started);
  EXPECT_TRUE(signals.stop());
  EXPECT_FALSE(command.ended());
  ::raise(SIGUSR1);
  EXPECT_EQ(command.wait(), 3);
}

// Whether a command runs to its end where ptrace is forbidden, and we are told so.
[[noreturn]] void start_held_without_ptrace() {
  const std::array filter = {
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{filter.size(), const_cast<sock_filter*>(filter.data())};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    ::_exit(1);
  }
  Signals signals;
  auto started = Launched::start_held({"sh", "-c", "exit 8"}, signals, [](const target::Process&) { return false; });
  Launched& command = std::get<Launched>(started);
  ::_exit(command.not_held() ? command.wait() : 2);
}

TEST(Launch, WithoutPtraceItRunsAndWeAreTold) {
  EXPECT_EXIT(start_held_without_ptrace(), ::testing::ExitedWithCode(8), "");
}

TEST(Launch, WithoutACommandEverySignalStops) {
  const Signals signals;
  EXPECT_FALSE(signals.stop());
  ::raise(SIGTERM);
  EXPECT_TRUE(signals.stop());
}

TEST(Launch, DescendantsOfDescendants) {
  Signals signals;
  auto started = Launched::start({"sh", "-c", "sh -c 'sleep 1000; :'; :"}, signals);
  Launched& command = std::get<Launched>(started);
  std::vector<pid_t> found;
  while (found.size() < 2) {
    ASSERT_FALSE(command.ended());
    found = target::descendants(command.pid());
  }
  ::kill(command.pid(), SIGKILL);
  for (const pid_t pid : found) ::kill(pid, SIGKILL);
  EXPECT_EQ(command.wait(), 128 + SIGKILL);
}

}  // namespace
}  // namespace flametap::cli
