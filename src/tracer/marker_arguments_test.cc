#include "tracer/marker_arguments.h"

#include <asm/ptrace.h>
#include <gtest/gtest.h>

#include <cstddef>

namespace flametap::tracer {
namespace {

flametap_argument only(std::string_view word) {
  const auto marker = parse_arguments(word);
  EXPECT_TRUE(marker) << word;
  return marker ? marker->arguments[0] : flametap_argument{};
}

TEST(MarkerArguments, InRegisters) {
  const flametap_argument pointer = only("8@%r12");
  EXPECT_EQ(pointer.where, FLAMETAP_REGISTER);
  EXPECT_EQ(pointer.register_offset, offsetof(pt_regs, r12));
  EXPECT_EQ(pointer.size, 8);
  EXPECT_FALSE(pointer.is_signed);
  const flametap_argument number = only("-4@%eax");
  EXPECT_EQ(number.register_offset, offsetof(pt_regs, rax));
  EXPECT_EQ(number.size, 4);
  EXPECT_TRUE(number.is_signed);
  EXPECT_EQ(only("1@%dil").register_offset, offsetof(pt_regs, rdi));
  EXPECT_EQ(only("-4@%r14d").register_offset, offsetof(pt_regs, r14));
}

TEST(MarkerArguments, InMemory) {
  const flametap_argument behind = only("-4@112(%rsp)");
  EXPECT_EQ(behind.where, FLAMETAP_MEMORY);
  EXPECT_EQ(behind.register_offset, offsetof(pt_regs, rsp));
  EXPECT_EQ(behind.value, 112);
  EXPECT_EQ(only("8@-24(%rbp)").value, -24);
  EXPECT_EQ(only("8@(%rdx)").where, FLAMETAP_MEMORY);
  EXPECT_EQ(only("8@0(%rdx)").value, 0);
}

TEST(MarkerArguments, Constants) {
  const flametap_argument constant = only("-4@$-7");
  EXPECT_EQ(constant.where, FLAMETAP_CONSTANT);
  EXPECT_EQ(constant.value, -7);
}

TEST(MarkerArguments, SeveralAndNone) {
  const auto three = parse_arguments("8@%rbx 8@%r12 -4@%eax");
  ASSERT_TRUE(three);
  EXPECT_EQ(three->arguments[1].register_offset, offsetof(pt_regs, r12));
  EXPECT_EQ(three->arguments[2].register_offset, offsetof(pt_regs, rax));
  const auto one = parse_arguments("8@%rbx");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->arguments[1].where, FLAMETAP_NOWHERE);
  EXPECT_EQ(only("").where, FLAMETAP_NOWHERE);
  EXPECT_TRUE(parse_arguments("8@%rbx 8@%rbx 8@%rbx what=comes@then"));
}

TEST(MarkerArguments, OtherFormsAreRefusedByName) {
  for (const std::string_view word :
       {"8@", "@%rax", "8%rax", "3@%rax", "0@%rax", "8@%rip", "8@counter(%rip)", "8@%xmm0", "8@8%rax", "8@(%rax",
        "8@(%rax,%rbx,8)", "8@$", "8@$7x", "99999999999999999999@%rax", "8@99999999999999999999(%rax)",
        "-9223372036854775808@%rax"}) {
    const auto marker = parse_arguments(word);
    ASSERT_FALSE(marker) << word;
    EXPECT_NE(marker.error().message.find(word), std::string::npos);
  }
}

}  // namespace
}  // namespace flametap::tracer
