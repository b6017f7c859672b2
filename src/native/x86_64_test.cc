#include "native/x86_64.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace flametap::native {
namespace {

constexpr std::uint64_t kStackTop = 0x7000;

class LeaveTest : public testing::Test {
 protected:
  LeaveTest() {
    for (std::uint64_t word = 0; word < 16; ++word) {
      const auto value = std::bit_cast<std::array<std::byte, 8>>(0x100 + word);
      bytes_.insert(bytes_.end(), value.begin(), value.end());
    }
    registers_.set(kStackPointer, kStackTop);
    registers_.set(kFramePointer, 0xbb);
    registers_.set(3, 0x33);
    registers_.set(0, 0xaa);
    registers_.set(kReturnAddress, 0x4000);
  }

  std::optional<Registers> leave_with(std::initializer_list<int> code) {
    std::vector<std::byte> copy;
    for (const int byte : code) copy.push_back(static_cast<std::byte>(byte));
    return leave(copy, registers_, {target::Address{kStackTop}, bytes_});
  }

  Registers registers_;
  std::vector<std::byte> bytes_;  // words that count from 0x100 on
};

TEST_F(LeaveTest, ReturnsAtOnce) {
  const auto caller = leave_with({0xc3});
  ASSERT_TRUE(caller);
  EXPECT_EQ((*caller)[kReturnAddress], 0x100u);
  EXPECT_EQ((*caller)[kStackPointer], kStackTop + 8);
  EXPECT_EQ((*caller)[kFramePointer], 0xbbu);
  EXPECT_EQ((*caller)[3], 0x33u);
  EXPECT_FALSE(caller->knows(0));  // a call does not keep it
}

TEST_F(LeaveTest, GivesBackItsStackAndPops) {
  const auto caller = leave_with({0x48, 0x83, 0xc4, 0x10, 0x5b, 0x5d, 0x41, 0x5c, 0xc3});
  ASSERT_TRUE(caller);
  EXPECT_EQ((*caller)[3], 0x102u);
  EXPECT_EQ((*caller)[kFramePointer], 0x103u);
  EXPECT_EQ((*caller)[12], 0x104u);
  EXPECT_EQ((*caller)[kReturnAddress], 0x105u);
  EXPECT_EQ((*caller)[kStackPointer], kStackTop + 6 * 8);
}

TEST_F(LeaveTest, TakesALongNumberToo) {
  const auto caller = leave_with({0x48, 0x81, 0xc4, 0x08, 0x00, 0x00, 0x00, 0xf3, 0xc3});
  ASSERT_TRUE(caller);
  EXPECT_EQ((*caller)[kReturnAddress], 0x101u);
}

TEST_F(LeaveTest, KnowsWhenItDoesNotKnow) {
  EXPECT_FALSE(leave_with({}));
  EXPECT_FALSE(leave_with({0x90, 0xc3}));                                      // something else comes first
  EXPECT_FALSE(leave_with({0x5d}));                                            // the code ends
  EXPECT_FALSE(leave_with({0x48, 0x83, 0xc4, 0xf0, 0xc3}));                    // takes more of the stack
  EXPECT_FALSE(leave_with({0x48, 0x83, 0xc4}));                                // the number is missing
  EXPECT_FALSE(leave_with({0x5c, 0xc3}));                                      // pops the stack pointer itself
  EXPECT_FALSE(leave_with({0x48, 0x81, 0xc4, 0x00, 0x10, 0x00, 0x00, 0xc3}));  // beyond the copy
}

bool may_call(std::initializer_list<int> code) {
  std::vector<std::byte> copy;
  for (const int byte : code) copy.push_back(static_cast<std::byte>(byte));
  return may_end_with_call(copy);
}

TEST(MayEndWithCall, KnowsTheFormsOfACall) {
  EXPECT_TRUE(may_call({0x90, 0x90, 0xe8, 1, 2, 3, 4}));  // call address
  EXPECT_TRUE(may_call({0xff, 0xd0}));                    // call *%rax
  EXPECT_TRUE(may_call({0x41, 0xff, 0xd4}));              // call *%r12
  EXPECT_TRUE(may_call({0xff, 0x50, 0x18}));              // call *0x18(%rax)
  EXPECT_TRUE(may_call({0x41, 0xff, 0x54, 0x24, 0x18}));  // call *0x18(%r12)
  EXPECT_TRUE(may_call({0xff, 0x15, 1, 2, 3, 4}));        // call *address(%rip)
  EXPECT_TRUE(may_call({0xff, 0x94, 0x24, 1, 2, 3, 4}));  // call *address(%rsp)
  EXPECT_FALSE(may_call({}));
  EXPECT_FALSE(may_call({0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90}));
  EXPECT_FALSE(may_call({0xff, 0xe0}));  // jmp *%rax
}

}  // namespace
}  // namespace flametap::native
