#include "native/unwind_row.h"

#include <dwarf.h>

#include <limits>
#include <optional>

namespace flametap::native {
namespace {

// No frame is so large; more is a damaged table.
std::optional<std::int32_t> to_offset(std::uint64_t number) {
  const auto offset = static_cast<std::int64_t>(number);
  if (offset > std::numeric_limits<std::int32_t>::max() || offset < std::numeric_limits<std::int32_t>::min()) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(offset);
}

std::uint64_t plus(std::uint64_t base, std::int32_t offset) {
  return base + static_cast<std::uint64_t>(static_cast<std::int64_t>(offset));
}

}  // namespace

bool UnwindRow::add_expression(std::span<const Dwarf_Op> operations, std::int32_t& index) {
  std::optional<Expression> expression = Expression::compile(operations);
  if (!expression) return false;
  index = static_cast<std::int32_t>(expressions_.size());
  expressions_.push_back(std::move(*expression));
  return true;
}

bool UnwindRow::set_cfa(std::span<const Dwarf_Op> operations) {
  if (operations.empty()) return false;
  const Dwarf_Op& first = operations.front();
  if (operations.size() == 1 && first.atom == DW_OP_bregx && first.number < kRegisterCount) {
    const std::optional<std::int32_t> offset = to_offset(first.number2);
    if (!offset) return false;
    cfa_register_ = static_cast<std::uint8_t>(first.number);
    cfa_value_ = *offset;
    return true;
  }
  cfa_is_expression_ = true;
  return add_expression(operations, cfa_value_);
}

bool UnwindRow::parse_rule(std::span<const Dwarf_Op> operations, Rule& rule) {
  using enum Rule::Kind;
  const Dwarf_Op& first = operations.front();
  if (operations.size() == 1 && first.atom == DW_OP_regx && first.number < kRegisterCount) {
    rule.kind = moved;
    rule.value = static_cast<std::int32_t>(first.number);
    return true;
  }
  const bool is_value = operations.back().atom == DW_OP_stack_value;
  if (is_value) operations = operations.first(operations.size() - 1);
  const bool simple = !operations.empty() && first.atom == DW_OP_call_frame_cfa &&
                      (operations.size() == 1 || (operations.size() == 2 && operations[1].atom == DW_OP_plus_uconst));
  if (!simple) {
    rule.kind = is_value ? value_of : address_of;
    return add_expression(operations, rule.value);
  }
  const std::optional<std::int32_t> distance = operations.size() == 2 ? to_offset(operations[1].number) : 0;
  if (!distance) return false;
  rule.kind = is_value ? offset : saved;
  rule.value = *distance;
  return true;
}

void UnwindRow::add_rule(const Rule& rule) { rules_[rule_count_++] = rule; }

bool UnwindRow::set_rule(std::size_t target, std::span<const Dwarf_Op> operations) {
  Rule rule{.kind = Rule::Kind::undefined, .target = static_cast<std::uint8_t>(target), .value = 0};
  const bool preserved = (kPreserved >> target & 1) != 0;
  if (operations.empty()) {
    const bool same = operations.data() == nullptr;
    if (target == kReturnAddress) outermost_ = !same;
    if (same) rule.kind = Rule::Kind::same;
    // What step() does anyway: preserved registers stay, others are lost, and the stack pointer becomes the CFA.
    if (same != preserved && target != kReturnAddress && target != kStackPointer) add_rule(rule);
    return !(target == kReturnAddress && same);
  }
  if (!parse_rule(operations, rule)) return false;
  const bool is_cfa = rule.kind == Rule::Kind::offset && rule.value == 0;
  if (target != kStackPointer || !is_cfa) add_rule(rule);
  return true;
}

Value UnwindRow::cfa(const Registers& registers, const StackView& stack) const {
  if (cfa_is_expression_) {
    return expressions_[static_cast<std::size_t>(cfa_value_)].evaluate({.registers = registers, .stack = stack});
  }
  if (!registers.knows(cfa_register_)) return {ValueStatus::unknown_register, 0};
  return {ValueStatus::ok, plus(registers[cfa_register_], cfa_value_)};
}

Value UnwindRow::value_of(const Rule& rule, const Surroundings& surroundings) const {
  using enum Rule::Kind;
  const auto in_memory = [&](std::uint64_t address) -> Value {
    const std::optional<std::uint64_t> word = surroundings.stack.word(target::Address{address});
    return word ? Value{ValueStatus::ok, *word} : Value{ValueStatus::outside_copy, address};
  };
  const auto in_register = [&](std::size_t number) -> Value {
    if (!surroundings.registers.knows(number)) return {ValueStatus::unknown_register, 0};
    return {ValueStatus::ok, surroundings.registers[number]};
  };
  switch (rule.kind) {
    case saved:
      return in_memory(plus(surroundings.cfa, rule.value));
    case offset:
      return {ValueStatus::ok, plus(surroundings.cfa, rule.value)};
    case same:
      return in_register(rule.target);
    case moved:
      return in_register(static_cast<std::size_t>(rule.value));
    case address_of: {
      const Value address = expressions_[static_cast<std::size_t>(rule.value)].evaluate(surroundings);
      return address.status == ValueStatus::ok ? in_memory(address.number) : address;
    }
    case Rule::Kind::value_of:
      return expressions_[static_cast<std::size_t>(rule.value)].evaluate(surroundings);
    case undefined:
      break;
  }
  return {ValueStatus::unknown_register, 0};
}

Step UnwindRow::step(std::uint64_t cfa, const StackView& stack, Registers& registers) const {
  if (outermost_) return Step::outermost;
  const Registers own = registers;
  const Surroundings surroundings{.registers = own, .stack = stack, .cfa = cfa};
  registers.keep_preserved();
  registers.set(kStackPointer, cfa);
  ValueStatus return_address = ValueStatus::unknown_register;
  for (const Rule& rule : rules()) {
    const Value value = value_of(rule, surroundings);
    if (rule.target == kReturnAddress) return_address = value.status;
    // A register that cannot be had is no harm as long as nobody asks for it.
    if (value.status == ValueStatus::ok) {
      registers.set(rule.target, value.number);
    } else {
      registers.forget(rule.target);
    }
  }
  if (return_address == ValueStatus::outside_copy) return Step::outside_copy;
  if (return_address != ValueStatus::ok || !registers.knows(kStackPointer)) return Step::nonsense;
  return Step::caller;
}

}  // namespace flametap::native
