#include "native/unwind_row.h"

#include <dwarf.h>
#include <gtest/gtest.h>

#include <vector>

namespace flametap::native {
namespace {

constexpr target::Address kStackStart{0x1000};
constexpr std::size_t kRbx = 3;
constexpr std::size_t kRcx = 2;

Dwarf_Op operation(std::uint8_t atom, std::uint64_t number = 0, std::uint64_t number2 = 0) {
  return {.atom = atom, .number = number, .number2 = number2, .offset = 0};
}

// What libdw says for a register that was saved so far from the CFA.
std::vector<Dwarf_Op> saved(std::int64_t offset) {
  return {operation(DW_OP_call_frame_cfa), operation(DW_OP_plus_uconst, static_cast<std::uint64_t>(offset))};
}

const std::vector<Dwarf_Op> kCfa{operation(DW_OP_bregx, kStackPointer, 16)};

class Stepping : public testing::Test {
 protected:
  Stepping() {
    for (std::size_t i = 0; i < kRegisterCount; ++i) registers_.set(i, 0x100 + i);
    registers_.set(kStackPointer, 0x1000);
  }
  [[nodiscard]] StackView stack() const { return {kStackStart, std::as_bytes(std::span(words_))}; }
  Step step(const UnwindRow& row) {
    const Value cfa = row.cfa(registers_, stack());
    EXPECT_EQ(cfa.status, ValueStatus::ok);
    return row.step(cfa.number, stack(), registers_);
  }

  Registers registers_;
  std::vector<std::uint64_t> words_{0xb0, 0x4004, 0x1000, 0x5005};
};

TEST_F(Stepping, OutOfAFunctionThatSavedARegister) {
  UnwindRow row;
  ASSERT_TRUE(row.set_cfa(kCfa));
  ASSERT_TRUE(row.set_rule(kReturnAddress, saved(-8)));
  ASSERT_TRUE(row.set_rule(kRbx, saved(-16)));
  ASSERT_TRUE(row.set_rule(kFramePointer, {}));  // the same
  EXPECT_EQ(row.rules().size(), 2u);
  EXPECT_EQ(step(row), Step::caller);
  EXPECT_EQ(registers_[kReturnAddress], 0x4004u);
  EXPECT_EQ(registers_[kStackPointer], 0x1010u);
  EXPECT_EQ(registers_[kRbx], 0xb0u);
  EXPECT_EQ(registers_[kFramePointer], 0x106u);
  EXPECT_FALSE(registers_.knows(kRcx));
}

TEST_F(Stepping, UndefinedIsForgotten) {
  UnwindRow row;
  const Dwarf_Op room[1]{};
  ASSERT_TRUE(row.set_cfa(kCfa));
  ASSERT_TRUE(row.set_rule(kReturnAddress, saved(-8)));
  ASSERT_TRUE(row.set_rule(kRbx, {room, std::size_t{0}}));
  EXPECT_EQ(step(row), Step::caller);
  EXPECT_FALSE(registers_.knows(kRbx));
}

TEST_F(Stepping, AnUndefinedReturnAddressIsTheEnd) {
  UnwindRow row;
  const Dwarf_Op room[1]{};
  ASSERT_TRUE(row.set_cfa(kCfa));
  ASSERT_TRUE(row.set_rule(kReturnAddress, {room, std::size_t{0}}));
  EXPECT_TRUE(row.is_outermost());
  EXPECT_EQ(step(row), Step::outermost);
}

TEST_F(Stepping, EveryKindOfRule) {
  UnwindRow row;
  ASSERT_TRUE(
      row.set_cfa(std::vector{operation(DW_OP_breg7, 16), operation(DW_OP_deref), operation(DW_OP_plus_uconst, 8)}));
  ASSERT_TRUE(row.set_rule(kReturnAddress, std::vector{operation(DW_OP_call_frame_cfa), operation(DW_OP_breg7, 24)}));
  ASSERT_TRUE(row.set_rule(kRbx, std::vector{operation(DW_OP_regx, 9)}));
  ASSERT_TRUE(row.set_rule(
      12, std::vector{operation(DW_OP_call_frame_cfa), operation(DW_OP_plus_uconst, 5), operation(DW_OP_stack_value)}));
  ASSERT_TRUE(row.set_rule(
      13, std::vector{operation(DW_OP_call_frame_cfa), operation(DW_OP_lit3), operation(DW_OP_stack_value)}));
  ASSERT_TRUE(row.set_rule(kStackPointer, std::vector{operation(DW_OP_breg7, 64), operation(DW_OP_stack_value)}));
  EXPECT_EQ(step(row), Step::caller);
  EXPECT_EQ(registers_[kReturnAddress], 0x5005u);
  EXPECT_EQ(registers_[kRbx], 0x109u);
  EXPECT_EQ(registers_[12], 0x100du);
  EXPECT_EQ(registers_[13], 3u);
  EXPECT_EQ(registers_[kStackPointer], 0x1040u);
}

TEST_F(Stepping, AWordOutsideTheCopyEndsItOnlyIfItIsTheReturnAddress) {
  UnwindRow row;
  ASSERT_TRUE(row.set_cfa(kCfa));
  ASSERT_TRUE(row.set_rule(kReturnAddress, saved(-8)));
  ASSERT_TRUE(row.set_rule(kRbx, saved(-64)));
  EXPECT_EQ(step(row), Step::caller);
  EXPECT_FALSE(registers_.knows(kRbx));
  UnwindRow outside;
  ASSERT_TRUE(outside.set_cfa(kCfa));
  ASSERT_TRUE(outside.set_rule(kReturnAddress, saved(64)));
  EXPECT_EQ(step(outside), Step::outside_copy);
}

TEST_F(Stepping, NeedsTheRegisterOfTheCfa) {
  UnwindRow row;
  ASSERT_TRUE(row.set_cfa(std::vector{operation(DW_OP_bregx, kFramePointer, 16)}));
  registers_.forget(kFramePointer);
  EXPECT_EQ(row.cfa(registers_, stack()).status, ValueStatus::unknown_register);
}

TEST(UnwindRow, RefusesWhatItDoesNotUnderstand) {
  UnwindRow row;
  EXPECT_FALSE(row.set_cfa({}));
  EXPECT_FALSE(row.set_cfa(std::vector{operation(DW_OP_bregx, 17, 0)}));
  EXPECT_FALSE(row.set_cfa(std::vector{operation(DW_OP_bregx, kStackPointer, std::uint64_t{1} << 40)}));
  EXPECT_FALSE(row.set_cfa(std::vector{operation(DW_OP_bra)}));
  EXPECT_FALSE(row.set_rule(kRbx, std::vector{operation(DW_OP_regx, 17)}));
  EXPECT_FALSE(row.set_rule(kRbx, saved(std::int64_t{1} << 40)));
  EXPECT_FALSE(row.set_rule(kRbx, std::vector{operation(DW_OP_stack_value)}));
  EXPECT_FALSE(row.set_rule(kReturnAddress, {}));
}

}  // namespace
}  // namespace flametap::native
