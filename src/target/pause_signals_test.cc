// A target full of signals: none is lost by a pause, none comes twice, whatever happens to the tracer.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <random>

#include "base/test_effort.h"
#include "target/pause.h"
#include "target/process.h"
#include "target/ptrace.h"
#include "target/test_child.h"
#include "target/test_spinner.h"

namespace flametap::target {
namespace {

Shared* shared_of_child = nullptr;  // a signal handler has no other way to reach it

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

// The same, but without a sleep, so that it returns while signals are being taken, when another one is likely to come
// between the two requests of a pause. Beside other programs, which take their turns first, that is soon given up.
bool is_caught_taking_a_signal(Shared* shared) {
  constexpr Nanoseconds kPatience = 10'000'000;
  const Nanoseconds begin = monotonic_now();
  const int before = shared->queued_taken;
  while (shared->queued_taken == before) {
    if (monotonic_now() - begin > kPatience) return takes_a_signal(shared);
    sched_yield();
  }
  return true;
}

// As a pause holds it that meets a signal on its way there: seen, and not taken (WNOWAIT), so that the kernel still has
// it. To pause until that happens takes a minute on some days.
void hold_before_a_signal(pid_t target) {
  if (trace(PTRACE_SEIZE, target, 0) != 0) _exit(1);
  siginfo_t seen{};
  while (waitid(P_PID, static_cast<id_t>(target), &seen, WSTOPPED | WNOWAIT | __WALL) == 0) {
    if (seen.si_status == SIGRTMIN) return;
    waitid(P_PID, static_cast<id_t>(target), &seen, WSTOPPED | __WALL);
    trace(PTRACE_CONT, target, seen.si_status);
  }
  _exit(1);
}

TEST(PauseSignals, LosesNoSignalAndDoublesNone) {
  SharedMemory shared;
  const TestChild child = start_spinner(shared.get(), [&] { install_handlers(shared.get()); });
  const TestChild sender = start_sender(child.pid(), shared.get());
  Pauser pauser(child.pid());
  int before_a_signal = 0;
  for (int i = 0; i < times(300, 1000); ++i) {
    ASSERT_TRUE(is_caught_taking_a_signal(shared.get()));
    const Pause pause = pauser.stop(child.pid(), kLong);
    ASSERT_EQ(pause.status(), PauseStatus::stopped);
    if (pause.signal() != 0) ++before_a_signal;
  }
  EXPECT_TRUE(takes_a_signal(shared.get()));
  EXPECT_EQ(shared->out_of_order, 0);
  wait_until([&] { return shared->alarms > 0; });  // all of that may have been over within a millisecond
  EXPECT_GT(shared->alarms, 0);
  std::printf("%d signals, %d pauses just before one, %d alarms\n", shared->queued_taken.load(), before_a_signal,
              shared->alarms.load());
}

TEST(PauseSignals, ATracerKilledJustBeforeASignalDoesNotLoseIt) {
  SharedMemory shared;
  const TestChild child = start_spinner(shared.get(), [&] { install_handlers(shared.get()); });
  const TestChild sender = start_sender(child.pid(), shared.get());
  for (int round = 0; round < 5; ++round) {
    TestChild tracer = TestChild::run([&](const auto& ready) {
      hold_before_a_signal(child.pid());
      ready();
      while (true) pause();
    });
    tracer.kill_and_reap();
    ASSERT_TRUE(takes_a_signal(shared.get())) << "round " << round;
    ASSERT_EQ(shared->out_of_order, 0) << "round " << round;
  }
}

TEST(PauseSignals, ATracerThatIsKilledLeavesNothingStoppedAndLosesNoSignal) {
  SharedMemory shared;
  TestChild child = start_spinner(shared.get(), [&] { install_handlers(shared.get()); });
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
    let_run(tracer.pid(), random() % 500'000);
    tracer.kill_and_reap();
    ASSERT_TRUE(turns_go_on(shared.get())) << "round " << round;
  }
  EXPECT_TRUE(takes_a_signal(shared.get()));
  EXPECT_EQ(shared->out_of_order, 0) << "of " << shared->queued_taken;
  EXPECT_EQ(Process::open(child.pid())->status()->tracer, 0);
}

}  // namespace
}  // namespace flametap::target
