#include "target/process_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <vector>

#include "target/test_child.h"

namespace flametap::target {
namespace {

Address address_of(const void* pointer) { return Address{reinterpret_cast<std::uintptr_t>(pointer)}; }

// Two pages, of which the second cannot be read.
class GuardedPage {
 public:
  GuardedPage() {
    pages_ =
        static_cast<std::byte*>(mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memset(pages_, 7, kPage);
    munmap(pages_ + kPage, kPage);
  }
  ~GuardedPage() { munmap(pages_, kPage); }
  [[nodiscard]] Address end() const { return address_of(pages_ + kPage); }

 private:
  static constexpr std::size_t kPage = 4096;
  std::byte* pages_;
};

TEST(ProcessMemory, ReadsItself) {
  const std::uint64_t value = 0x1122334455667788;
  ProcessMemory memory(getpid());
  std::uint64_t read = 0;
  EXPECT_EQ(memory.read_value(address_of(&value), read), ReadStatus::ok);
  EXPECT_EQ(read, value);
}

TEST(ProcessMemory, ReadsAChildsOwnMemory) {
  volatile int value = 1;
  const TestChild child = TestChild::run([&](const auto& ready) {
    value = 2;
    ready();
  });
  ProcessMemory memory(child.pid());
  int read = 0;
  EXPECT_EQ(memory.read_value(address_of(const_cast<const int*>(&value)), read), ReadStatus::ok);
  EXPECT_EQ(read, 2);
}

TEST(ProcessMemory, CountsTheSegmentsBeforeAnUnmappedOne) {
  const GuardedPage page;
  ProcessMemory memory(getpid());
  std::array<std::byte, 8> first{}, second{}, third{};
  const std::array segments{Segment{Address{to_number(page.end()) - 8}, first},
                            Segment{Address{to_number(page.end()) - 4}, second},  // half of it can be read
                            Segment{Address{to_number(page.end()) - 8}, third}};
  const ReadResult result = memory.read(segments);
  EXPECT_EQ(result.status, ReadStatus::unmapped);
  EXPECT_EQ(result.filled, 1u);
  EXPECT_EQ(first[7], std::byte{7});
}

TEST(ProcessMemory, UnmappedFirstSegmentFillsNothing) {
  ProcessMemory memory(getpid());
  std::array<std::byte, 8> bytes{};
  for (const Address address : {kNull, Address{8}, Address{~0ull}, Address{~0ull - 3}, Address{1ull << 63}}) {
    const Segment segment{address, bytes};
    const ReadResult result = memory.read({&segment, 1});
    EXPECT_EQ(result.status, ReadStatus::unmapped) << to_number(address);
    EXPECT_EQ(result.filled, 0u);
  }
}

TEST(ProcessMemory, WhatIsOptionalMayBeMissing) {
  const std::uint64_t from = 9;
  std::uint64_t missing = 7;
  std::uint64_t word = 0;
  const std::array segments = {
      Segment{Address{8}, std::as_writable_bytes(std::span{&missing, 1}), true},
      Segment{Address{reinterpret_cast<std::uintptr_t>(&from)}, std::as_writable_bytes(std::span{&word, 1})}};
  const ReadResult result = ProcessMemory(getpid()).read(segments);
  EXPECT_EQ(result.status, ReadStatus::ok);
  EXPECT_EQ(result.filled, 2u);
  EXPECT_EQ(result.missing, 1u);
  EXPECT_EQ(missing, 0u);
  EXPECT_EQ(word, 9u);
}

TEST(ProcessMemory, EmptySegmentsAreFilled) {
  ProcessMemory memory(getpid());
  EXPECT_EQ(memory.read(std::span<const Segment>{}).status, ReadStatus::ok);
  const Segment empty{kNull, {}};
  const ReadResult result = memory.read({&empty, 1});
  EXPECT_EQ(result.status, ReadStatus::ok);
  EXPECT_EQ(result.filled, 1u);
}

TEST(ProcessMemory, SplitsMoreSegmentsThanOneCallTakes) {
  std::vector<std::uint32_t> source(2500);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::uint32_t>(i);
  std::vector<std::uint32_t> read(source.size());
  std::vector<Segment> segments;
  for (std::size_t i = 0; i < source.size(); ++i) {
    segments.push_back({address_of(&source[i]), std::as_writable_bytes(std::span(read).subspan(i, 1))});
  }
  ProcessMemory memory(getpid());
  const ReadResult whole = memory.read(segments);
  EXPECT_TRUE(whole);
  EXPECT_EQ(whole.filled, segments.size());
  EXPECT_EQ(read, source);

  segments[2100].from = kNull;
  const ReadResult partial = memory.read(segments);
  EXPECT_EQ(partial.status, ReadStatus::unmapped);
  EXPECT_EQ(partial.filled, 2100u);
}

TEST(ProcessMemory, ZombieAndReapedProcessAreGone) {
  int value = 0;
  TestChild child = TestChild::run([](const auto& ready) { ready(); });
  ProcessMemory memory(child.pid());
  EXPECT_EQ(memory.read_value(address_of(&value), value), ReadStatus::ok);
  child.kill_without_reaping();
  EXPECT_EQ(memory.read_value(address_of(&value), value), ReadStatus::gone);
  child.kill_and_reap();
  EXPECT_EQ(memory.read_value(address_of(&value), value), ReadStatus::gone);
}

TEST(ProcessMemory, AnotherUsersProcessIsDenied) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  // The reader is a child that gives up its rights; it tells the outcome with its exit code.
  TestChild reader = TestChild::run([parent = getpid()](const auto& ready) {
    ready();
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(1);
    ProcessMemory memory(parent);
    int value = 0;
    _exit(memory.read_value(address_of(&value), value) == ReadStatus::denied ? 42 : 2);
  });
  EXPECT_EQ(WEXITSTATUS(reader.wait()), 42);
}

}  // namespace
}  // namespace flametap::target
