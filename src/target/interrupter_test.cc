#include "target/interrupter.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace flametap::target {
namespace {

Address address_of(const void* pointer) { return Address{reinterpret_cast<std::uintptr_t>(pointer)}; }

template <typename T>
Segment segment_of(const T& from, T& to) {
  return {address_of(&from), std::as_writable_bytes(std::span{&to, 1})};
}

void sit_on(int cpu) {
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

  cpu_set_t before_{};
  std::vector<int> cpus_;
  std::unique_ptr<Interrupter> interrupter_;
};

// Read from outside, the two would be many steps apart, in either direction.
TEST_F(InterrupterTest, AllOfTheCopyIsOfOneInstant) {
  const Busy busy(cpus_[1]);
  std::uint64_t met = 0;
  for (int i = 0; i < 2000; ++i) {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    const std::array segments = {segment_of(const_cast<const std::uint64_t&>(busy.first), first),
                                 segment_of(const_cast<const std::uint64_t&>(busy.second), second)};
    const ReadResult result = interrupter_->read(cpus_[1], busy.tid(), segments);
    if (result.status == ReadStatus::elsewhere) continue;  // another program had its turn there
    ASSERT_EQ(result.status, ReadStatus::ok);
    ASSERT_TRUE(first == second || first == second + 1) << first << " " << second;
    ++met;
  }
  EXPECT_GT(met, 100u);
}

TEST_F(InterrupterTest, LargeSegmentsAreWhole) {
  const Busy busy(cpus_[1]);
  std::vector<std::uint8_t> large(100'000);
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
  std::vector<std::uint8_t> copy(large.size());
  const Segment segment{address_of(large.data()), std::as_writable_bytes(std::span(copy))};
  ReadStatus status = ReadStatus::elsewhere;
  while (status == ReadStatus::elsewhere) status = interrupter_->read(cpus_[1], busy.tid(), {&segment, 1}).status;
  EXPECT_EQ(status, ReadStatus::ok);
  EXPECT_EQ(copy, large);
}

TEST_F(InterrupterTest, AThreadThatIsNotThereIsElsewhere) {
  std::uint64_t word = 0;
  const std::uint64_t from = 7;
  const std::array segments = {segment_of(from, word)};
  EXPECT_EQ(interrupter_->read(cpus_[1], gettid(), segments).status, ReadStatus::elsewhere);
  EXPECT_EQ(interrupter_->read(1'000'000, gettid(), segments).status, ReadStatus::elsewhere);  // no such CPU
  EXPECT_EQ(word, 0u);
}

TEST_F(InterrupterTest, WhatIsNotMappedEndsTheCopy) {
  const Busy busy(cpus_[1]);
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  const std::array segments = {segment_of(const_cast<const std::uint64_t&>(busy.first), first),
                               Segment{Address{8}, std::as_writable_bytes(std::span{&second, 1})}};
  ReadResult result{ReadStatus::elsewhere, 0};
  while (result.status == ReadStatus::elsewhere) result = interrupter_->read(cpus_[1], busy.tid(), segments);
  EXPECT_EQ(result.status, ReadStatus::unmapped);
  EXPECT_EQ(result.filled, 1u);
}

TEST_F(InterrupterTest, TooMuchIsRefused) {
  const Busy busy(cpus_[1]);
  std::vector<std::byte> large(1 << 20);
  const Segment segment{address_of(large.data()), large};
  EXPECT_EQ(interrupter_->read(cpus_[1], busy.tid(), {&segment, 1}).status, ReadStatus::unmapped);
  std::uint64_t word = 0;
  const std::vector<Segment> many(2000, segment_of(const_cast<const std::uint64_t&>(busy.first), word));
  EXPECT_EQ(interrupter_->read(cpus_[1], busy.tid(), many).status, ReadStatus::unmapped);
}

}  // namespace
}  // namespace flametap::target
