// For the tests of pausing: a child that spins and counts its turns where the test can see them.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <new>

#include "base/clock.h"
#include "target/test_child.h"
#include "target/thread_stat.h"

namespace flametap::target {

inline constexpr Nanoseconds kLong = 10 * kSecond;

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

inline void wait_until(const std::function<bool()>& condition) {
  const Nanoseconds begin = monotonic_now();
  while (!condition()) {
    ASSERT_LT(monotonic_now() - begin, 30 * kSecond) << "waited in vain";
    sched_yield();
  }
}

inline bool turns_go_on(Shared* shared) {
  const std::uint64_t before = shared->turns;
  wait_until([&] { return shared->turns > before; });
  return shared->turns > before;
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
