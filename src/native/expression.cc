#include "native/expression.h"

#include <dwarf.h>

#include <array>
#include <cstring>
#include <utility>

namespace flametap::native {
namespace {

// What an operation takes from the stack and puts on it.
struct Effect {
  std::size_t takes = 0;
  std::size_t gives = 0;
};

bool is_unary(std::uint8_t atom) {
  return atom == DW_OP_abs || atom == DW_OP_neg || atom == DW_OP_not || atom == DW_OP_plus_uconst;
}

bool is_binary(std::uint8_t atom) {
  switch (atom) {
    case DW_OP_and:
    case DW_OP_div:
    case DW_OP_minus:
    case DW_OP_mod:
    case DW_OP_mul:
    case DW_OP_or:
    case DW_OP_plus:
    case DW_OP_shl:
    case DW_OP_shr:
    case DW_OP_shra:
    case DW_OP_xor:
    case DW_OP_eq:
    case DW_OP_ge:
    case DW_OP_gt:
    case DW_OP_le:
    case DW_OP_lt:
    case DW_OP_ne:
      return true;
    default:
      return false;
  }
}

bool is_constant(std::uint8_t atom) { return atom == DW_OP_addr || (atom >= DW_OP_const1u && atom <= DW_OP_consts); }

std::optional<Effect> effect_of(std::uint8_t atom, std::uint8_t small) {
  if (is_unary(atom) || atom == DW_OP_deref_size) return Effect{1, 1};
  if (is_binary(atom)) return Effect{2, 1};
  switch (atom) {
    case DW_OP_constu:
    case DW_OP_bregx:
    case DW_OP_call_frame_cfa:
      return Effect{0, 1};
    case DW_OP_drop:
      return Effect{1, 0};
    case DW_OP_pick:
      return Effect{small + std::size_t{1}, small + std::size_t{2}};
    case DW_OP_swap:
      return Effect{2, 2};
    case DW_OP_rot:
      return Effect{3, 3};
    case DW_OP_nop:
      return Effect{0, 0};
    default:
      return std::nullopt;
  }
}

std::uint64_t unary(std::uint8_t atom, std::uint64_t value, std::int64_t number) {
  if (atom == DW_OP_not) return ~value;
  if (atom == DW_OP_plus_uconst) return value + static_cast<std::uint64_t>(number);
  const bool negative = static_cast<std::int64_t>(value) < 0;
  return atom == DW_OP_neg || negative ? 0 - value : value;
}

std::uint64_t shift(std::uint8_t atom, std::uint64_t left, std::uint64_t right) {
  const bool negative = static_cast<std::int64_t>(left) < 0;
  if (atom == DW_OP_shra) {
    if (right > 63) return negative ? ~std::uint64_t{0} : 0;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(left) >> right);
  }
  if (right > 63) return 0;
  return atom == DW_OP_shl ? left << right : left >> right;
}

bool compare(std::uint8_t atom, std::int64_t left, std::int64_t right) {
  switch (atom) {
    case DW_OP_eq:
      return left == right;
    case DW_OP_ge:
      return left >= right;
    case DW_OP_gt:
      return left > right;
    case DW_OP_le:
      return left <= right;
    case DW_OP_lt:
      return left < right;
    default:
      return left != right;
  }
}

// A division of signed numbers that never traps; nothing for one by zero.
std::optional<std::uint64_t> divide(std::uint64_t left, std::uint64_t right) {
  if (right == 0) return std::nullopt;
  if (right == ~std::uint64_t{0}) return 0 - left;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(left) / static_cast<std::int64_t>(right));
}

std::optional<std::uint64_t> binary(std::uint8_t atom, std::uint64_t left, std::uint64_t right) {
  switch (atom) {
    case DW_OP_and:
      return left & right;
    case DW_OP_or:
      return left | right;
    case DW_OP_xor:
      return left ^ right;
    case DW_OP_plus:
      return left + right;
    case DW_OP_minus:
      return left - right;
    case DW_OP_mul:
      return left * right;
    case DW_OP_div:
      return divide(left, right);
    case DW_OP_mod:
      if (right == 0) return std::nullopt;
      return left % right;
    case DW_OP_shl:
    case DW_OP_shr:
    case DW_OP_shra:
      return shift(atom, left, right);
    default:
      return compare(atom, static_cast<std::int64_t>(left), static_cast<std::int64_t>(right)) ? 1 : 0;
  }
}

std::optional<std::uint64_t> load_sized(const StackView& stack, std::uint64_t address, std::uint8_t size) {
  if (!stack.contains(target::Address{address}, size)) return std::nullopt;
  std::uint64_t value = 0;
  std::memcpy(&value, stack.bytes.data() + (address - to_number(stack.begin)), size);
  return value;
}

}  // namespace

std::optional<Expression::Operation> Expression::translate(const Dwarf_Op& operation) {
  const std::uint8_t atom = operation.atom;
  const auto number = static_cast<std::int64_t>(operation.number);
  if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) return Operation{DW_OP_constu, 0, atom - DW_OP_lit0};
  if (is_constant(atom)) return Operation{DW_OP_constu, 0, number};
  if (atom >= DW_OP_breg0 && atom < DW_OP_breg0 + static_cast<int>(kRegisterCount)) {
    return Operation{DW_OP_bregx, static_cast<std::uint8_t>(atom - DW_OP_breg0), number};
  }
  if (atom == DW_OP_bregx && operation.number < kRegisterCount) {
    return Operation{atom, static_cast<std::uint8_t>(operation.number), static_cast<std::int64_t>(operation.number2)};
  }
  if (atom == DW_OP_deref) return Operation{DW_OP_deref_size, 8, 0};
  if (atom == DW_OP_deref_size && number >= 1 && number <= 8) {
    return Operation{atom, static_cast<std::uint8_t>(number), 0};
  }
  if (atom == DW_OP_dup) return Operation{DW_OP_pick, 0, 0};
  if (atom == DW_OP_over) return Operation{DW_OP_pick, 1, 0};
  if (atom == DW_OP_pick && operation.number < kMaxDepth) {
    return Operation{atom, static_cast<std::uint8_t>(operation.number), 0};
  }
  const bool as_it_is = is_unary(atom) || is_binary(atom) || atom == DW_OP_call_frame_cfa || atom == DW_OP_drop ||
                        atom == DW_OP_swap || atom == DW_OP_rot || atom == DW_OP_nop;
  if (as_it_is) return Operation{atom, 0, number};
  return std::nullopt;
}

std::optional<Expression> Expression::compile(std::span<const Dwarf_Op> operations) {
  if (operations.size() > kMaxOperations) return std::nullopt;
  Expression expression;
  std::size_t depth = 0;
  for (const Dwarf_Op& source : operations) {
    const std::optional<Operation> operation = translate(source);
    if (!operation) return std::nullopt;
    const std::optional<Effect> effect = effect_of(operation->atom, operation->small);
    if (!effect || effect->takes > depth) return std::nullopt;
    depth = depth - effect->takes + effect->gives;
    if (depth > kMaxDepth) return std::nullopt;
    expression.operations_.push_back(*operation);
  }
  if (depth == 0) return std::nullopt;
  return expression;
}

Value Expression::evaluate(const Surroundings& surroundings) const {
  std::array<std::uint64_t, kMaxDepth> stack{};
  std::size_t depth = 0;  // compile() has seen to it that it stays inside
  for (const Operation& operation : operations_) {
    std::optional<std::uint64_t> value;
    switch (operation.atom) {
      case DW_OP_constu:
        stack[depth++] = static_cast<std::uint64_t>(operation.number);
        break;
      case DW_OP_call_frame_cfa:
        stack[depth++] = surroundings.cfa;
        break;
      case DW_OP_bregx:
        if (!surroundings.registers.knows(operation.small)) return {ValueStatus::unknown_register, 0};
        stack[depth++] = surroundings.registers[operation.small] + static_cast<std::uint64_t>(operation.number);
        break;
      case DW_OP_deref_size:
        value = load_sized(surroundings.stack, stack[depth - 1], operation.small);
        if (!value) return {ValueStatus::outside_copy, stack[depth - 1]};
        stack[depth - 1] = *value;
        break;
      case DW_OP_drop:
        --depth;
        break;
      case DW_OP_pick:
        stack[depth] = stack[depth - 1 - operation.small];
        ++depth;
        break;
      case DW_OP_rot:
        std::swap(stack[depth - 1], stack[depth - 2]);
        std::swap(stack[depth - 2], stack[depth - 3]);
        break;
      case DW_OP_swap:
        std::swap(stack[depth - 1], stack[depth - 2]);
        break;
      case DW_OP_nop:
        break;
      default:
        if (is_unary(operation.atom)) {
          stack[depth - 1] = unary(operation.atom, stack[depth - 1], operation.number);
          break;
        }
        value = binary(operation.atom, stack[depth - 2], stack[depth - 1]);
        if (!value) return {ValueStatus::nonsense, 0};
        stack[--depth - 1] = *value;
    }
  }
  return {ValueStatus::ok, stack[depth - 1]};
}

}  // namespace flametap::native
