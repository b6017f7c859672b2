#include "cli/launch.h"

#include <gtest/gtest.h>
#include <signal.h>

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
