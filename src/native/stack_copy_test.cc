#include "native/stack_copy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "target/fake_memory.h"
#include "target/process.h"
#include "target/process_memory.h"

namespace flametap::native {
namespace {

constexpr std::uint64_t kPage = 4096;
// Nothing of ours lies so low: how far the stack reaches is not known.
constexpr target::Address kCopiedStack{0x10000};
constexpr pid_t kThread = 7;

class Copying : public testing::Test {
 protected:
  CaptureStatus capture(target::Address stack_pointer) {
    const target::TaskSyscall call{
        .number = 35, .first_argument = 0, .stack_pointer = to_number(stack_pointer), .program_counter = 0x401000};
    return copy_.capture_sleeping(kThread, call, memory_, space_);
  }

  target::Process process_ = std::move(*target::Process::open(getpid()));
  target::ProcessMemory own_memory_{getpid()};
  BinaryCache binaries_;
  AddressSpace space_ = std::move(*AddressSpace::open(process_, own_memory_, binaries_));
  target::FakeMemory memory_;
  StackCopy copy_;
};

TEST_F(Copying, ASleepingThreadHasTwoRegisters) {
  memory_.map(kCopiedStack, 32 * kPage);
  memory_.put(kCopiedStack + 0x508, std::uint64_t{0x1234});
  ASSERT_EQ(capture(kCopiedStack + 0x500), CaptureStatus::ok);
  EXPECT_EQ(copy_.registers()[kStackPointer], to_number(kCopiedStack) + 0x500);
  EXPECT_EQ(copy_.registers()[kReturnAddress], 0x401000u);
  for (std::size_t i = 0; i < kRegisterCount; ++i) {
    EXPECT_EQ(copy_.registers().knows(i), i == kStackPointer || i == kReturnAddress);
  }
  EXPECT_EQ(copy_.system_call(), 35);
  EXPECT_EQ(copy_.stack().begin, kCopiedStack + (0x500 - kRedZone));
  EXPECT_EQ(copy_.stack().word(kCopiedStack + 0x508), 0x1234u);
  EXPECT_EQ(memory_.calls().size(), 1u);
}

TEST_F(Copying, WhereMemoryEndsEarlierThePartBeforeIsGood) {
  memory_.map(kCopiedStack, 3 * kPage);
  ASSERT_EQ(capture(kCopiedStack + 0x500), CaptureStatus::ok);
  EXPECT_EQ(copy_.stack().end(), kCopiedStack + 3 * kPage);
  EXPECT_EQ(memory_.calls().size(), 1u);
}

TEST_F(Copying, AtItsVeryBeginAStackHasNoRedZone) {
  memory_.map(kCopiedStack, 32 * kPage);
  ASSERT_EQ(capture(kCopiedStack), CaptureStatus::ok);
  EXPECT_EQ(copy_.stack().begin, kCopiedStack);
}

TEST_F(Copying, AStackPointerToNowhere) {
  EXPECT_EQ(capture(kCopiedStack), CaptureStatus::unreadable);
  EXPECT_EQ(capture(target::kNull), CaptureStatus::unreadable);
  EXPECT_EQ(capture(target::Address{~std::uint64_t{0}}), CaptureStatus::unreadable);
  EXPECT_TRUE(copy_.stack().bytes.empty());
}

TEST_F(Copying, AThreadThatIsNoMore) {
  memory_.set_status(target::ReadStatus::gone);
  EXPECT_EQ(capture(kCopiedStack), CaptureStatus::gone);
  memory_.set_status(target::ReadStatus::denied);
  EXPECT_EQ(capture(kCopiedStack), CaptureStatus::denied);
  // Not stopped by us: ptrace says the same as of a thread that has ended.
  EXPECT_EQ(copy_.capture_stopped(getpid(), memory_, space_), CaptureStatus::gone);
}

}  // namespace
}  // namespace flametap::native
