// Expression: a DWARF expression of call frame information, in a form of our own that holds no memory of libdw.
//
// Only what such expressions need: no jumps, no calls, nothing of types. So its length bounds its time, and the depth
// of its stack is checked once, when it is compiled. Evaluating allocates nothing.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "native/stack_view.h"
#include "native/x86_64.h"

namespace flametap::native {

enum class ValueStatus : std::uint8_t {
  ok,
  unknown_register,  // it needs one whose value nobody knows
  outside_copy,      // it needs memory that was not copied
  nonsense,          // a division by zero
};

struct Value {
  ValueStatus status = ValueStatus::nonsense;
  std::uint64_t number = 0;
};

// What an expression may ask for.
struct Surroundings {
  const Registers& registers;
  const StackView& stack;
  std::uint64_t cfa = 0;
};

class Expression {
 public:
  static constexpr std::size_t kMaxOperations = 64;
  static constexpr std::size_t kMaxDepth = 16;

  // Nothing for an expression that is too long, empty, or made of what we do not know.
  [[nodiscard]] static std::optional<Expression> compile(std::span<const Dwarf_Op> operations);

  [[nodiscard]] Value evaluate(const Surroundings& surroundings) const;

  bool operator==(const Expression&) const = default;

 private:
  struct Operation {
    std::uint8_t atom = 0;   // DW_OP_*; one stands for a whole family where there is one (constu, bregx, deref_size)
    std::uint8_t small = 0;  // the register; the size of a load; the depth to pick from
    std::int64_t number = 0;
    bool operator==(const Operation&) const = default;
  };

  static std::optional<Operation> translate(const Dwarf_Op& operation);

  std::vector<Operation> operations_;
};

}  // namespace flametap::native
