#include "target/pause.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <functional>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "target/process.h"
#include "target/test_child.h"

namespace flametap::target {
namespace {

constexpr Nanoseconds kLong = 10 * kSecond;

// What a test and its children share. A plain number of each kind, so that a signal handler may touch it.
struct Shared {
  std::atomic<std::uint64_t> turns{0};
  std::atomic<int> queued_taken{0};
  std::atomic<int> out_of_order{0};
  std::atomic<int> alarms{0};
  std::atomic<pid_t> tid{0};
};

class SharedMemory {
 public:
  SharedMemory() {
    void* const page = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared_ = new (page) Shared;
  }
  ~SharedMemory() { munmap(shared_, sizeof(Shared)); }
  Shared* get() { return shared_; }
  Shared* operator->() { return shared_; }

 private:
  Shared* shared_;
};

Shared* shared_of_child = nullptr;  // a signal handler has no other way to reach it

[[noreturn]] void spin(Shared* shared) {
  while (true) ++shared->turns;
}

void wait_until(const std::function<bool()>& condition) {
  const Nanoseconds begin = monotonic_now();
  while (!condition()) {
    ASSERT_LT(monotonic_now() - begin, 30 * kSecond) << "waited in vain";
    sched_yield();
  }
}

bool turns_go_on(Shared* shared) {
  const std::uint64_t before = shared->turns;
  wait_until([&] { return shared->turns > before; });
  return shared->turns > before;
}

TaskState state_of(pid_t pid) { return ThreadStat::open(pid, pid)->read()->state; }

TEST(Pause, StopsAndLetsGo) {
  SharedMemory shared;
  const TestChild child = TestChild::run([&](const auto& ready) {
    ready();
    spin(shared.get());
  });
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

TEST(Pause, TellsHowLongTheTargetStandsStill) {
  SharedMemory shared;
  const TestChild child = TestChild::run([&](const auto& ready) {
    ready();
    spin(shared.get());
  });
  Pauser pauser(child.pid());
  std::vector<Nanoseconds> durations;
  for (int i = 0; i < 1000; ++i) {
    const Nanoseconds begin = monotonic_now();
    { ASSERT_TRUE(pauser.stop(child.pid(), kLong)); }
    durations.push_back(monotonic_now() - begin);
  }
  std::sort(durations.begin(), durations.end());
  std::printf("stop and let go: median %.1f us, 99 %% %.1f us\n", static_cast<double>(durations[500]) / 1000,
              static_cast<double>(durations[990]) / 1000);
}

// --- signals

void install_handlers(Shared* shared) {
  shared_of_child = shared;
  struct sigaction queued {};
  queued.sa_flags = SA_SIGINFO | SA_RESTART;
  queued.sa_sigaction = [](int, siginfo_t* info, void*) {
    // Queued signals arrive in order, so each must carry the number that comes next.
    if (info->si_value.sival_int != shared_of_child->queued_taken) ++shared_of_child->out_of_order;
    ++shared_of_child->queued_taken;
  };
  sigaction(SIGRTMIN, &queued, nullptr);
  struct sigaction alarm {};
  alarm.sa_handler = [](int) { ++shared_of_child->alarms; };
  sigaction(SIGALRM, &alarm, nullptr);
  const itimerval every_millisecond{{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &every_millisecond, nullptr);
}

// A third process that sends numbered signals, never more than a hundred ahead of those taken.
TestChild start_sender(pid_t target, Shared* shared) {
  return TestChild::run([=](const auto& ready) {
    ready();
    for (int i = 0;; ++i) {
      while (i - shared->queued_taken > 100) sched_yield();
      while (sigqueue(target, SIGRTMIN, sigval{i}) != 0) sched_yield();
    }
  });
}

bool takes_a_signal(Shared* shared) {
  const int before = shared->queued_taken;
  wait_until([&] { return shared->queued_taken > before; });
  return shared->queued_taken > before;
}

TEST(Pause, LosesNoSignalAndDoublesNone) {
  SharedMemory shared;
  const TestChild child = TestChild::run([&](const auto& ready) {
    install_handlers(shared.get());
    ready();
    spin(shared.get());
  });
  const TestChild sender = start_sender(child.pid(), shared.get());
  Pauser pauser(child.pid());
  int before_a_signal = 0;
  for (int i = 0; i < 1000; ++i) {
    // While it takes signals, another one is likely to come between our two requests.
    ASSERT_TRUE(takes_a_signal(shared.get()));
    const Pause pause = pauser.stop(child.pid(), kLong);
    ASSERT_EQ(pause.status(), PauseStatus::stopped);
    if (pause.signal() != 0) ++before_a_signal;
  }
  EXPECT_TRUE(takes_a_signal(shared.get()));
  EXPECT_EQ(shared->out_of_order, 0);
  EXPECT_GT(shared->alarms, 0);
  std::printf("%d signals, %d pauses just before one, %d alarms\n", shared->queued_taken.load(), before_a_signal,
              shared->alarms.load());
}

TEST(Pause, ATracerKilledJustBeforeASignalDoesNotLoseIt) {
  SharedMemory shared;
  const TestChild child = TestChild::run([&](const auto& ready) {
    install_handlers(shared.get());
    ready();
    spin(shared.get());
  });
  const TestChild sender = start_sender(child.pid(), shared.get());
  for (int round = 0; round < 5; ++round) {
    TestChild tracer = TestChild::run([&](const auto& ready) {
      Pauser pauser(child.pid());
      while (true) {
        takes_a_signal(shared.get());
        const Pause held = pauser.stop(child.pid(), kLong);
        if (held.signal() != SIGRTMIN) continue;
        ready();
        while (true) pause();
      }
    });
    tracer.kill_and_reap();
    ASSERT_TRUE(takes_a_signal(shared.get())) << "round " << round;
    ASSERT_EQ(shared->out_of_order, 0) << "round " << round;
  }
}

TEST(Pause, ATracerThatIsKilledLeavesNothingStoppedAndLosesNoSignal) {
  SharedMemory shared;
  TestChild child = TestChild::run([&](const auto& ready) {
    install_handlers(shared.get());
    ready();
    spin(shared.get());
  });
  TestChild sender = start_sender(child.pid(), shared.get());
  std::minstd_rand random(7);
  for (int round = 0; round < 50; ++round) {
    TestChild tracer = TestChild::run([&](const auto& ready) {
      ready();
      Pauser pauser(child.pid());
      while (true) {
        if (!pauser.stop(child.pid(), kLong)) _exit(1);
      }
    });
    const Nanoseconds delay = random() % 500'000;
    const Nanoseconds begin = monotonic_now();
    while (monotonic_now() - begin < delay) {
    }
    tracer.kill_and_reap();
    ASSERT_TRUE(turns_go_on(shared.get())) << "round " << round;
  }
  EXPECT_TRUE(takes_a_signal(shared.get()));
  EXPECT_EQ(shared->out_of_order, 0) << "of " << shared->queued_taken;
  EXPECT_EQ(Process::open(child.pid())->status()->tracer, 0);
}

TEST(Pause, AStoppedProcessStaysStopped) {
  SharedMemory shared;
  const TestChild child = TestChild::run([&](const auto& ready) {
    ready();
    spin(shared.get());
  });
  kill(child.pid(), SIGSTOP);
  wait_until([&] { return state_of(child.pid()) == TaskState::stopped; });
  Pauser pauser(child.pid());
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(pauser.stop(child.pid(), kLong).status(), PauseStatus::stopped);
    wait_until([&] { return state_of(child.pid()) == TaskState::stopped; });
  }
  const std::uint64_t turns = shared->turns;
  EXPECT_EQ(shared->turns, turns);
  kill(child.pid(), SIGCONT);
  EXPECT_TRUE(turns_go_on(shared.get()));
}

// --- threads that do not stop, or end

TEST(Pause, AThreadInUninterruptibleSleepIsLetGoLater) {
  int release[2];
  ASSERT_EQ(pipe(release), 0);
  SharedMemory shared;
  const TestChild child = TestChild::run([&](const auto& ready) {
    // The parent of a vfork sleeps uninterruptibly until the child of it has ended.
    if (vfork() == 0) {
      ready();
      char byte = 0;
      _exit(static_cast<int>(read(release[0], &byte, 1)));
    }
    spin(shared.get());
  });
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
  const TestChild child = TestChild::run([&](const auto& ready) {
    if (vfork() == 0) {
      ready();
      char byte = 0;
      _exit(static_cast<int>(read(release[0], &byte, 1)));
    }
    spin(shared.get());
  });
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
    const Pause pause = pauser.stop(child.pid(), kLong);
    ASSERT_TRUE(pause);
    kill(child.pid(), SIGKILL);
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
  const std::string script = testing::TempDir() + "exec_again.sh";
  std::ofstream(script) << "if [ $1 -gt 0 ]; then exec /bin/sh \"$0\" $(($1 - 1)); fi; exit 42\n";
  TestChild child = TestChild::run([&](const auto& ready) {
    ready();
    execl("/bin/sh", "sh", script.c_str(), "100", nullptr);
    _exit(1);
  });
  Pauser pauser(child.pid());
  int stopped = 0;
  int replaced = 0;
  while (true) {
    const PauseStatus status = pauser.stop(child.pid(), kLong).status();
    if (status == PauseStatus::gone) break;
    (status == PauseStatus::stopped ? stopped : replaced) += 1;
    ASSERT_TRUE(status == PauseStatus::stopped || status == PauseStatus::replaced) << static_cast<int>(status);
    // Pauses without a gap leave the target no time to go on.
    const Nanoseconds begin = monotonic_now();
    while (monotonic_now() - begin < 30'000) {
    }
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
    PauseStatus status{};
    do {
      status = pauser.stop(shared->tid, kLong).status();
    } while (status == PauseStatus::stopped);
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
