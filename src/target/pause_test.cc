#include "target/pause.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

#include "base/test_effort.h"
#include "target/process.h"
#include "target/test_child.h"
#include "target/test_spinner.h"

namespace flametap::target {
namespace {

TEST(Pause, StopsAndLetsGo) {
  SharedMemory shared;
  const TestChild child = start_spinner(shared.get());
  Pauser pauser(child.pid());
  for (int i = 0; i < 100; ++i) {
    {
      const Pause pause = pauser.stop(child.pid(), kLong);
      ASSERT_EQ(pause.status(), PauseStatus::stopped);
      ASSERT_EQ(state_of(child.pid()), TaskState::traced);
      const std::uint64_t before = shared->turns;
      sched_yield();
      ASSERT_EQ(shared->turns, before);
    }
    ASSERT_TRUE(turns_go_on(shared.get()));
  }
  EXPECT_FALSE(pauser.has_pending());
}

TEST(Pause, StopsOneThreadOnly) {
  SharedMemory shared;
  const TestChild child = TestChild::run([&](const auto& ready) {
    std::thread([&] {
      shared->tid = gettid();
      ready();
      while (true) pause();
    }).detach();
    spin(shared.get());
  });
  Pauser pauser(child.pid());
  const Pause pause = pauser.stop(shared->tid, kLong);
  EXPECT_EQ(pause.status(), PauseStatus::stopped);
  EXPECT_TRUE(turns_go_on(shared.get()));
}

TEST(Pause, StopsAgainAtOnce) {
  SharedMemory shared;
  const TestChild child = start_spinner(shared.get());
  Pauser pauser(child.pid());
  for (int i = 0; i < times(200, 1000); ++i) ASSERT_TRUE(pauser.stop(child.pid(), kLong)) << i;
  EXPECT_TRUE(turns_go_on(shared.get()));
}

TEST(Pause, AStoppedProcessStaysStopped) {
  SharedMemory shared;
  const TestChild child = start_spinner(shared.get());
  kill(child.pid(), SIGSTOP);
  wait_until([&] { return state_of(child.pid()) == TaskState::stopped; });
  const std::uint64_t turns = shared->turns;
  Pauser pauser(child.pid());
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(pauser.stop(child.pid(), kLong).status(), PauseStatus::stopped);
    wait_until([&] { return state_of(child.pid()) == TaskState::stopped; });
  }
  EXPECT_EQ(shared->turns, turns);
  kill(child.pid(), SIGCONT);
  EXPECT_TRUE(turns_go_on(shared.get()));
}

// --- threads that do not stop, or end

// Cannot be stopped until something can be read from `release`; spins then.
TestChild start_unstoppable(Shared* shared, int release) {
  return TestChild::run([=](const auto& ready) {
    // The parent of a vfork sleeps uninterruptibly until the child of it has ended.
    if (vfork() == 0) {
      ready();
      char byte = 0;
      _exit(static_cast<int>(read(release, &byte, 1)));
    }
    spin(shared);
  });
}

TEST(Pause, AThreadInUninterruptibleSleepIsLetGoLater) {
  int release[2];
  ASSERT_EQ(pipe(release), 0);
  SharedMemory shared;
  const TestChild child = start_unstoppable(shared.get(), release[0]);
  wait_until([&] { return state_of(child.pid()) == TaskState::uninterruptible; });
  Pauser pauser(child.pid());
  EXPECT_EQ(pauser.stop(child.pid(), 1'000'000).status(), PauseStatus::timed_out);
  EXPECT_TRUE(pauser.has_pending());
  EXPECT_EQ(pauser.finish_pending(), 1u);
  EXPECT_EQ(pauser.stop(child.pid(), 1'000'000).status(), PauseStatus::timed_out);
  EXPECT_EQ(pauser.finish_pending(), 1u);
  ASSERT_EQ(write(release[1], "x", 1), 1);
  wait_until([&] { return pauser.finish_pending() == 0; });
  EXPECT_TRUE(turns_go_on(shared.get()));
  EXPECT_EQ(pauser.stop(child.pid(), kLong).status(), PauseStatus::stopped);
  close(release[0]);
  close(release[1]);
}

TEST(Pause, AKilledTracerLetsGoAlsoWhatIsPending) {
  int release[2];
  ASSERT_EQ(pipe(release), 0);
  SharedMemory shared;
  const TestChild child = start_unstoppable(shared.get(), release[0]);
  {
    const TestChild tracer = TestChild::run([&](const auto& ready) {
      Pauser pauser(child.pid());
      if (pauser.stop(child.pid(), 1'000'000).status() == PauseStatus::timed_out) ready();
      while (true) pause();
    });
    EXPECT_EQ(Process::open(child.pid())->status()->tracer, tracer.pid());
  }
  ASSERT_EQ(write(release[1], "x", 1), 1);
  EXPECT_TRUE(turns_go_on(shared.get()));
  close(release[0]);
  close(release[1]);
}

TEST(Pause, TheEndOfAnOwnChildIsLeftToWhoStartedIt) {
  TestChild child = TestChild::run([](const auto& ready) { ready(); });
  {
    Pauser pauser(child.pid());
    {
      const Pause pause = pauser.stop(child.pid(), kLong);
      ASSERT_TRUE(pause);
      kill(child.pid(), SIGKILL);
    }
    // A busy machine takes its time to end it, and until then it is not gone.
    wait_until([&] { return pauser.finish_pending() == 0; });
  }
  Pauser pauser(child.pid());
  EXPECT_EQ(pauser.stop(child.pid(), kLong).status(), PauseStatus::gone);
  const int status = child.wait();
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST(Pause, TheEndOfAnothersChildReachesItsParent) {
  SharedMemory shared;
  TestChild parent = TestChild::run([&](const auto& ready) {
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      shared->tid = getpid();
      ready();
      while (true) pause();
    }
    int status = 0;
    waitpid(grandchild, &status, 0);
    _exit(WIFSIGNALED(status) ? 42 : 1);
  });
  Pauser pauser(shared->tid);
  {
    const Pause pause = pauser.stop(shared->tid, kLong);
    ASSERT_TRUE(pause);
    kill(shared->tid, SIGKILL);
  }
  wait_until([&] { return pauser.finish_pending() == 0; });
  EXPECT_EQ(WEXITSTATUS(parent.wait()), 42);
}

TEST(Pause, ThreadsThatEndAreNoticedAndReaped) {
  SharedMemory shared;
  TestChild child = TestChild::run([&](const auto& ready) {
    ready();
    for (int i = 0; i < 500; ++i) {
      std::thread([&] { shared->tid = gettid(); }).join();
    }
    _exit(42);
  });
  Pauser pauser(child.pid());
  int stopped = 0;
  int gone = 0;
  while (Process::open(child.pid())) {
    const pid_t tid = shared->tid;
    if (tid == 0) continue;
    const PauseStatus status = pauser.stop(tid, kLong).status();
    (status == PauseStatus::stopped ? stopped : gone) += 1;
    ASSERT_TRUE(status == PauseStatus::stopped || status == PauseStatus::gone) << static_cast<int>(status);
    pauser.finish_pending();
  }
  EXPECT_EQ(WEXITSTATUS(child.wait()), 42);
  std::printf("%d stopped, %d gone\n", stopped, gone);
}

// --- exec

TEST(Pause, AProgramThatExecsAgainAndAgainRunsToItsEnd) {
  const std::string script = testing::TempDir() + "exec_again_" + std::to_string(getpid()) + ".sh";
  std::ofstream(script) << "if [ $1 -gt 0 ]; then exec /bin/sh \"$0\" $(($1 - 1)); fi; exit 42\n";
  TestChild child = TestChild::run([&](const auto& ready) {
    ready();
    execl("/bin/sh", "sh", script.c_str(), "100", nullptr);
    _exit(1);
  });
  Pauser pauser(child.pid());
  int stopped = 0;
  int replaced = 0;
  for (int i = 1;; ++i) {
    const PauseStatus status = pauser.stop(child.pid(), kLong).status();
    if (status == PauseStatus::gone) break;
    (status == PauseStatus::stopped ? stopped : replaced) += 1;
    ASSERT_TRUE(status == PauseStatus::stopped || status == PauseStatus::replaced) << static_cast<int>(status);
    // Pauses without a gap leave the target no time to go on. After a short one it may still wait for its turn, but a
    // gap that lasts until it has run is a long one there.
    spin_for(30'000);
    if (i % 4 == 0) let_run(child.pid(), 30'000);
  }
  EXPECT_EQ(WEXITSTATUS(child.wait()), 42);
  std::printf("%d stopped, %d replaced\n", stopped, replaced);
  unlink(script.c_str());
}

TEST(Pause, AThreadThatExecsIsLetGoUnderItsNewId) {
  int gone = 0;
  int replaced = 0;
  for (int round = 0; round < 50; ++round) {
    SharedMemory shared;
    TestChild child = TestChild::run([&](const auto& ready) {
      std::thread([&] {
        shared->tid = gettid();
        ready();
        execl("/bin/sh", "sh", "-c", "exit 42", nullptr);
      }).join();
    });
    Pauser pauser(child.pid());
    PauseStatus status = pauser.stop(shared->tid, kLong).status();
    while (status == PauseStatus::stopped) {
      let_run(child.pid(), 3'000);
      status = pauser.stop(shared->tid, kLong).status();
    }
    (status == PauseStatus::gone ? gone : replaced) += 1;
    ASSERT_EQ(WEXITSTATUS(child.wait()), 42) << "round " << round;
  }
  std::printf("%d gone, %d replaced\n", gone, replaced);
}

// --- refusals

TEST(Pause, TracedByAnother) {
  const TestChild child = TestChild::run([](const auto& ready) { ready(); });
  const TestChild tracer = TestChild::run([&](const auto& ready) {
    if (ptrace(PTRACE_SEIZE, child.pid(), nullptr, nullptr) == 0) ready();
  });
  Pauser pauser(child.pid());
  EXPECT_EQ(pauser.stop(child.pid(), kLong).status(), PauseStatus::traced_by_other);
  EXPECT_EQ(Process::open(child.pid())->status()->tracer, tracer.pid());
}

TEST(Pause, GoneZombieAndAnotherProcessesThread) {
  TestChild child = TestChild::run([](const auto& ready) { ready(); });
  const TestChild other = TestChild::run([](const auto& ready) { ready(); });
  Pauser pauser(child.pid());
  EXPECT_EQ(pauser.stop(other.pid(), kLong).status(), PauseStatus::gone);
  child.kill_without_reaping();
  EXPECT_EQ(pauser.stop(child.pid(), kLong).status(), PauseStatus::gone);
  const pid_t pid = child.pid();
  child.kill_and_reap();
  EXPECT_EQ(pauser.stop(pid, kLong).status(), PauseStatus::gone);
}

TEST(Pause, DeniedForAnotherUsersProcess) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  TestChild tracer = TestChild::run([parent = getpid()](const auto& ready) {
    ready();
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(1);
    Pauser pauser(parent);
    _exit(pauser.stop(parent, kLong).status() == PauseStatus::denied ? 42 : 2);
  });
  EXPECT_EQ(WEXITSTATUS(tracer.wait()), 42);
}

}  // namespace
}  // namespace flametap::target
