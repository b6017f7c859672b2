// UnwindRow: how to get from one call to its caller while the program is at some addresses: a row of the table that
// call frame information describes. Pure values: what libdw said, in a compact form, and the step itself.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "native/expression.h"
#include "native/stack_view.h"
#include "native/x86_64.h"

namespace flametap::native {

enum class Step : std::uint8_t {
  caller,        // the registers are the caller's
  outermost,     // there is no caller
  outside_copy,  // needs a word that was not copied
  nonsense,      // needs a register that nobody knows, or leads nowhere
};

class UnwindRow {
 public:
  // Where the caller's value of a register is.
  struct Rule {
    enum class Kind : std::uint8_t {
      undefined,   // lost
      same,        // still in the register
      saved,       // in memory, at the CFA + value
      offset,      // it is the CFA + value
      moved,       // in the register that `value` says
      address_of,  // in memory, where expression `value` says
      value_of,    // it is what expression `value` says
    };
    Kind kind = Kind::undefined;
    std::uint8_t target = 0;  // the register that it is about
    std::int32_t value = 0;
    bool operator==(const Rule&) const = default;
  };

  // Made from the answers about one address; false if they cannot be understood.
  bool set_cfa(std::span<const Dwarf_Op> operations);
  // `operations` as dwarf_frame_register() gives them: null data says `same`.
  bool set_rule(std::size_t target, std::span<const Dwarf_Op> operations);
  void set_signal_frame() { signal_frame_ = true; }

  // The frame is the kernel's, between a signal's handler and what it interrupted: the "caller" did not call, and its
  // program counter is exact.
  [[nodiscard]] bool is_signal_frame() const { return signal_frame_; }
  [[nodiscard]] bool is_outermost() const { return outermost_; }
  // The rules beyond what a function does by itself.
  [[nodiscard]] std::span<const Rule> rules() const { return std::span(rules_).first(rule_count_); }

  // Where the caller's part of the stack begins (the canonical frame address).
  [[nodiscard]] Value cfa(const Registers& registers, const StackView& stack) const;
  // Replaces the registers by the caller's. `cfa` is what cfa() said.
  [[nodiscard]] Step step(std::uint64_t cfa, const StackView& stack, Registers& registers) const;

 private:
  bool add_expression(std::span<const Dwarf_Op> operations, std::int32_t& index);
  bool parse_rule(std::span<const Dwarf_Op> operations, Rule& rule);
  void add_rule(const Rule& rule);
  [[nodiscard]] Value value_of(const Rule& rule, const Surroundings& surroundings) const;

  bool signal_frame_ = false;
  bool outermost_ = false;
  bool cfa_is_expression_ = false;
  std::uint8_t cfa_register_ = 0;
  std::uint8_t rule_count_ = 0;
  std::int32_t cfa_value_ = 0;  // an offset, or the number of an expression
  std::array<Rule, kRegisterCount> rules_{};
  std::vector<Expression> expressions_;
};

}  // namespace flametap::native
