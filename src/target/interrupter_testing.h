// For tests of the Interrupter: a thread to interrupt, and the program loaded where it can be.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "target/interrupter.h"

namespace flametap::target {

inline Address address_of(const void* pointer) { return Address{reinterpret_cast<std::uintptr_t>(pointer)}; }

template <typename T>
Segment segment_of(const T& from, T& to) {
  return {address_of(&from), std::as_writable_bytes(std::span{&to, 1})};
}

inline void sit_on(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  ASSERT_EQ(sched_setaffinity(0, sizeof cpus, &cpus), 0);
}

// A thread of our own that never leaves a CPU, and counts two counters that are equal between any two steps of its.
class Busy {
 public:
  explicit Busy(int cpu) : thread_([this, cpu] { run(cpu); }) {
    while (tid_ == 0) std::this_thread::yield();
  }
  ~Busy() {
    stop_ = true;
    thread_.join();
  }
  [[nodiscard]] pid_t tid() const { return tid_; }

  volatile std::uint64_t first = 0;
  volatile std::uint64_t second = 0;

 private:
  void run(int cpu) {
    sit_on(cpu);
    tid_ = static_cast<pid_t>(syscall(SYS_gettid));
    while (!stop_) {
      first = first + 1;
      second = second + 1;
    }
  }

  std::atomic<pid_t> tid_ = 0;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

class InterrupterTest : public testing::Test {
 protected:
  void SetUp() override {
    sched_getaffinity(0, sizeof before_, &before_);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &before_)) cpus_.push_back(cpu);
    }
    if (cpus_.size() < 2) GTEST_SKIP() << "needs two CPUs";
    auto loaded = Interrupter::load();
    if (!loaded) GTEST_SKIP() << "needs root or CAP_BPF and CAP_PERFMON: " << loaded.error().message;
    interrupter_ = std::move(*loaded);
    sit_on(cpus_[0]);
  }
  void TearDown() override { sched_setaffinity(0, sizeof before_, &before_); }

  // Reads as soon as the thread is running: other programs have their turns on its CPU. To ask without a pause would
  // use up our own turns in vain.
  ReadResult read_busy(const Busy& busy, std::span<const Segment> segments, const Trail* trail = nullptr) {
    while (true) {
      const ReadResult result = interrupter_->read(cpus_[1], busy.tid(), segments, trail);
      if (result.status != ReadStatus::elsewhere) return result;
      sleep_for(50'000);
    }
  }

  cpu_set_t before_{};
  std::vector<int> cpus_;
  std::unique_ptr<Interrupter> interrupter_;
};

}  // namespace flametap::target
