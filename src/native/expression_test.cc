#include "native/expression.h"

#include <dwarf.h>
#include <gtest/gtest.h>

#include <vector>

namespace flametap::native {
namespace {

constexpr target::Address kStack{0x1000};

Dwarf_Op op(std::uint8_t atom, std::uint64_t number = 0, std::uint64_t number2 = 0) {
  return {.atom = atom, .number = number, .number2 = number2, .offset = 0};
}

std::uint64_t negative(std::int64_t number) { return static_cast<std::uint64_t>(number); }

class Evaluation : public testing::Test {
 protected:
  Value evaluate(const std::vector<Dwarf_Op>& operations) {
    const std::optional<Expression> expression = Expression::compile(operations);
    EXPECT_TRUE(expression);
    if (!expression) return {};
    const StackView stack{kStack, std::as_bytes(std::span(words_))};
    return expression->evaluate({.registers = registers_, .stack = stack, .cfa = 0x1020});
  }
  std::uint64_t number(const std::vector<Dwarf_Op>& operations) {
    const Value value = evaluate(operations);
    EXPECT_EQ(value.status, ValueStatus::ok);
    return value.number;
  }

  Registers registers_;
  std::vector<std::uint64_t> words_{0x1111, 0x2222, 0x3333'4444'5555'6666, 0x1018};
};

// In a stub of the procedure linkage table the stack is 8 bytes deeper after its second instruction.
TEST_F(Evaluation, LinkageStub) {
  const std::vector<Dwarf_Op> stub{op(DW_OP_breg7, 8), op(DW_OP_breg16), op(DW_OP_lit15),
                                   op(DW_OP_and),      op(DW_OP_lit11),  op(DW_OP_ge),
                                   op(DW_OP_lit3),     op(DW_OP_shl),    op(DW_OP_plus)};
  registers_.set(kStackPointer, 0x7000);
  registers_.set(kReturnAddress, 0x5550);
  EXPECT_EQ(number(stub), 0x7008u);
  registers_.set(kReturnAddress, 0x555b);
  EXPECT_EQ(number(stub), 0x7010u);
}

TEST_F(Evaluation, ReadsOnlyWhatWasCopied) {
  registers_.set(kFramePointer, 0x1018);
  EXPECT_EQ(number({op(DW_OP_breg6, negative(-8)), op(DW_OP_deref)}), 0x3333'4444'5555'6666u);
  EXPECT_EQ(number({op(DW_OP_breg6, negative(-8)), op(DW_OP_deref_size, 2)}), 0x6666u);
  EXPECT_EQ(number({op(DW_OP_breg6), op(DW_OP_deref), op(DW_OP_deref)}), 0x1018u);
  EXPECT_EQ(evaluate({op(DW_OP_breg6, 1), op(DW_OP_deref)}).status, ValueStatus::outside_copy);
  EXPECT_EQ(evaluate({op(DW_OP_breg6, negative(-25)), op(DW_OP_deref)}).status, ValueStatus::outside_copy);
  EXPECT_EQ(evaluate({op(DW_OP_constu, ~std::uint64_t{0}), op(DW_OP_deref)}).status, ValueStatus::outside_copy);
}

TEST_F(Evaluation, ARegisterThatNobodyKnows) {
  EXPECT_EQ(evaluate({op(DW_OP_breg6)}).status, ValueStatus::unknown_register);
  EXPECT_EQ(evaluate({op(DW_OP_bregx, 12, 3)}).status, ValueStatus::unknown_register);
  registers_.set(12, 4);
  EXPECT_EQ(number({op(DW_OP_bregx, 12, 3)}), 7u);
}

TEST_F(Evaluation, MovesTheStack) {
  const Dwarf_Op one = op(DW_OP_lit1);
  const Dwarf_Op two = op(DW_OP_lit2);
  const Dwarf_Op three = op(DW_OP_lit3);
  EXPECT_EQ(number({one, two, op(DW_OP_swap)}), 1u);
  EXPECT_EQ(number({one, two, op(DW_OP_over)}), 1u);
  EXPECT_EQ(number({one, two, three, op(DW_OP_rot)}), 2u);
  EXPECT_EQ(number({one, two, three, op(DW_OP_rot), op(DW_OP_drop)}), 1u);
  EXPECT_EQ(number({one, two, three, op(DW_OP_pick, 2)}), 1u);
  EXPECT_EQ(number({three, op(DW_OP_dup), op(DW_OP_mul)}), 9u);
  EXPECT_EQ(number({one, two, op(DW_OP_drop), op(DW_OP_nop)}), 1u);
  EXPECT_EQ(number({op(DW_OP_call_frame_cfa), op(DW_OP_plus_uconst, negative(-0x10))}), 0x1010u);
}

TEST_F(Evaluation, Calculates) {
  const auto two = [&](std::int64_t left, std::int64_t right, std::uint8_t atom) {
    return static_cast<std::int64_t>(
        number({op(DW_OP_consts, negative(left)), op(DW_OP_consts, negative(right)), op(atom)}));
  };
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(two(7, 2, DW_OP_minus), 5);
  EXPECT_EQ(two(-7, 2, DW_OP_div), -3);
  EXPECT_EQ(two(lowest, -1, DW_OP_div), lowest);
  EXPECT_EQ(two(7, 4, DW_OP_mod), 3);
  EXPECT_EQ(two(6, 3, DW_OP_xor), 5);
  EXPECT_EQ(two(6, 1, DW_OP_or), 7);
  EXPECT_EQ(two(-8, 1, DW_OP_shra), -4);
  EXPECT_EQ(two(-8, 100, DW_OP_shra), -1);
  EXPECT_EQ(two(1, 64, DW_OP_shl), 0);
  EXPECT_EQ(two(8, 2, DW_OP_shr), 2);
  EXPECT_EQ(two(-1, 1, DW_OP_lt), 1);
  EXPECT_EQ(two(-1, 1, DW_OP_gt), 0);
  EXPECT_EQ(two(1, 1, DW_OP_le), 1);
  EXPECT_EQ(two(1, 1, DW_OP_eq), 1);
  EXPECT_EQ(two(1, 1, DW_OP_ne), 0);
  EXPECT_EQ(number({op(DW_OP_lit5), op(DW_OP_neg), op(DW_OP_abs)}), 5u);
  EXPECT_EQ(number({op(DW_OP_lit0), op(DW_OP_not)}), ~std::uint64_t{0});
  for (const std::uint8_t atom : {DW_OP_div, DW_OP_mod}) {
    EXPECT_EQ(evaluate({op(DW_OP_lit1), op(DW_OP_lit0), op(atom)}).status, ValueStatus::nonsense);
  }
}

TEST(Expression, RefusesWhatItCannotBound) {
  const auto compiles = [](const std::vector<Dwarf_Op>& operations) {
    return Expression::compile(operations).has_value();
  };
  EXPECT_FALSE(compiles({}));
  EXPECT_FALSE(compiles({op(DW_OP_plus)}));
  EXPECT_FALSE(compiles({op(DW_OP_lit1), op(DW_OP_plus)}));
  EXPECT_FALSE(compiles({op(DW_OP_lit1), op(DW_OP_drop)}));
  EXPECT_FALSE(compiles({op(DW_OP_lit1), op(DW_OP_pick, 1)}));
  EXPECT_FALSE(compiles({op(DW_OP_lit1), op(DW_OP_bra, 0)}));
  EXPECT_FALSE(compiles({op(DW_OP_skip, 0)}));
  EXPECT_FALSE(compiles({op(DW_OP_breg17)}));
  EXPECT_FALSE(compiles({op(DW_OP_bregx, 17)}));
  EXPECT_FALSE(compiles({op(DW_OP_lit1), op(DW_OP_deref_size, 9)}));
  EXPECT_FALSE(compiles({op(DW_OP_lit1), op(DW_OP_deref_size, 0)}));
  EXPECT_FALSE(compiles(std::vector<Dwarf_Op>(Expression::kMaxDepth + 1, op(DW_OP_lit1))));
  EXPECT_FALSE(compiles(std::vector<Dwarf_Op>(Expression::kMaxOperations + 1, op(DW_OP_nop))));
}

}  // namespace
}  // namespace flametap::native
