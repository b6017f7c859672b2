#include "target/process_events.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace flametap::target {
namespace {

TEST(ProcessEvents, TellsOfForkExecAndExit) {
  auto events = ProcessEvents::open();
  if (!events) GTEST_SKIP() << events.error().message;
  const pid_t child = ::fork();
  if (child == 0) {
    ::execlp("true", "true", nullptr);
    ::_exit(127);
  }
  std::vector<ProcessEvent> all;
  std::vector<ProcessEvent::Kind> kinds;
  while (std::ranges::find(kinds, ProcessEvent::Kind::exited) == kinds.end()) {
    all.clear();
    // What concerns threads only wakes us too, and gives nothing.
    ASSERT_TRUE(events->wait(10 * kSecond, all));
    for (const ProcessEvent& event : all) {
      if (event.pid != child) continue;
      kinds.push_back(event.kind);
      if (event.kind == ProcessEvent::Kind::forked) {
        EXPECT_EQ(event.parent, ::getpid());
      }
    }
  }
  EXPECT_EQ(kinds, (std::vector{ProcessEvent::Kind::forked, ProcessEvent::Kind::executed, ProcessEvent::Kind::exited}));
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace flametap::target
