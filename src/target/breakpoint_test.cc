#include "target/breakpoint.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "base/test_paths.h"
#include "target/auxv.h"
#include "target/test_child.h"

namespace flametap::target {
namespace {

using Way = Result<Breakpoint> (*)(pid_t, Address);

// A program that stands at its exec, traced by us. It writes a byte to `output` when it runs.
pid_t begin_program(int output) {
  const std::string path = in_build("src/target/target_program_pie");
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(output, STDOUT_FILENO);
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    ::execl(path.c_str(), "program", nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  ::ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_TRACEEXEC);
  ::ptrace(PTRACE_CONT, pid, nullptr, nullptr);
  ::waitpid(pid, &status, 0);
  return pid;
}

Result<Breakpoint> set_at_entry(pid_t pid, Way way) {
  const Result<Process> process = Process::open(pid);
  return process ? way(pid, read_auxv(*process).entry) : Result<Breakpoint>(process.error());
}

class BreakpointWays : public ::testing::TestWithParam<Way> {};

TEST_P(BreakpointWays, StopsOnceAndLeavesNothingBehind) {
  std::array<int, 2> output{};
  ASSERT_EQ(::pipe(output.data()), 0);
  const pid_t pid = begin_program(output[1]);
  int status = 0;
  {
    const Result<Breakpoint> breakpoint = set_at_entry(pid, GetParam());
    ASSERT_TRUE(breakpoint) << breakpoint.error().message;
    EXPECT_FALSE(breakpoint->reached());
    ::ptrace(PTRACE_CONT, pid, nullptr, nullptr);
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    ASSERT_TRUE(WIFSTOPPED(status));
    EXPECT_EQ(WSTOPSIG(status), SIGTRAP);
    EXPECT_TRUE(breakpoint->reached());
  }
  EXPECT_EQ(::ptrace(PTRACE_DETACH, pid, nullptr, nullptr), 0);
  char byte = 0;
  EXPECT_EQ(::read(output[0], &byte, 1), 1);
  ::kill(pid, SIGKILL);
  ::waitpid(pid, &status, 0);
  for (const int end : output) ::close(end);
}

INSTANTIATE_TEST_SUITE_P(All, BreakpointWays, ::testing::Values(&Breakpoint::set, &Breakpoint::set_by_ptrace));

TEST(Breakpoint, IsGoneWhenItsOwnerIsKilled) {
  std::array<int, 2> output{};
  ASSERT_EQ(::pipe(output.data()), 0);
  std::array<int, 2> pids{};
  ASSERT_EQ(::pipe(pids.data()), 0);
  TestChild owner = TestChild::run([&](const std::function<void()>& ready) {
    const pid_t pid = begin_program(output[1]);
    const Result<Breakpoint> breakpoint = set_at_entry(pid, &Breakpoint::set);
    if (!breakpoint || ::write(pids[1], &pid, sizeof pid) != sizeof pid) ::_exit(1);
    ready();
    while (true) ::pause();
  });
  pid_t pid = 0;
  ASSERT_EQ(::read(pids[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
  owner.kill_and_reap();
  ::close(output[1]);
  char byte = 0;
  EXPECT_EQ(::read(output[0], &byte, 1), 1) << "the program ended at the breakpoint";
  ::kill(pid, SIGKILL);
  ::close(output[0]);
  for (const int end : pids) ::close(end);
}

}  // namespace
}  // namespace flametap::target
