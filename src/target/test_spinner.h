// For the tests of pausing: a child that spins and counts its turns where the test can see them.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>

#include "base/clock.h"
#include "target/process.h"
#include "target/test_child.h"
#include "target/thread_stat.h"

namespace flametap::target {

// Only what will never happen takes so long, however busy the machine is.
inline constexpr Nanoseconds kLong = 100 * kSecond;

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

[[noreturn]] inline void spin(Shared* shared) {
  while (true) ++shared->turns;
}

// Sleeps in between: the process that is waited for may need this CPU. To yield it instead would put us behind all
// others that want it, which on a busy machine takes far longer than a sleep.
inline void wait_until(const std::function<bool()>& condition) {
  const Nanoseconds begin = monotonic_now();
  while (!condition()) {
    ASSERT_LT(monotonic_now() - begin, kLong) << "waited in vain";
    sleep_for(20'000);
  }
}

inline bool turns_go_on(Shared* shared) {
  const std::uint64_t before = shared->turns;
  wait_until([&] { return shared->turns > before; });
  return shared->turns > before;
}

// Returns when a process has used so much CPU time, however long it had to wait for its turns, or has ended. To let it
// run for a time of the clock gives it nothing on a busy machine: it does not get that far before it is stopped again.
inline void let_run(pid_t pid, Nanoseconds cpu_time) {
  clockid_t clock{};
  if (clock_getcpuclockid(pid, &clock) != 0) return;
  const auto used = [&]() -> std::optional<Nanoseconds> {
    timespec time{};
    if (clock_gettime(clock, &time) != 0) return std::nullopt;
    return static_cast<Nanoseconds>(time.tv_sec) * kSecond + static_cast<Nanoseconds>(time.tv_nsec);
  };
  const std::optional<Nanoseconds> begin = used();
  int looks = 0;
  wait_until([&] {
    const std::optional<Nanoseconds> now = used();
    if (!begin || !now || *now - *begin >= cpu_time) return true;
    return ++looks % 32 == 0 && !Process::open(pid);  // the clock of a zombie stands still
  });
}

inline TaskState state_of(pid_t pid) { return ThreadStat::open(pid, pid)->read()->state; }

// A child that first does what is asked for, then says that it is ready, then spins.
inline TestChild start_spinner(
    Shared* shared, const std::function<void()>& first = [] {}) {
  return TestChild::run([=](const auto& ready) {
    first();
    ready();
    spin(shared);
  });
}

}  // namespace flametap::target
