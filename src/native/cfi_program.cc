#include "native/cfi_program.h"

#include <dwarf.h>

#include "native/cfi_cursor.h"

namespace flametap::native {
namespace {

// The largest function of a large program has some thousand bytes.
constexpr std::size_t kMaxBytes = 64 * 1024;
// More than the processor has of all kinds.
constexpr std::uint64_t kMaxRegister = 256;
constexpr int kMaxRemembered = 64;

// What follows the byte of an instruction.
struct Operands {
  bool has_register = false;
  int numbers = 0;         // in LEB128, signed or not
  bool has_block = false;  // an expression, with its length in front
  unsigned bytes = 0;
};

// Nothing for instructions that no compiler writes for this processor.
std::optional<Operands> operands_of(std::uint8_t instruction) {
  switch (instruction) {
    case DW_CFA_nop:
    case DW_CFA_remember_state:
    case DW_CFA_restore_state:
      return Operands{};
    case DW_CFA_advance_loc1:
      return Operands{.bytes = 1};
    case DW_CFA_advance_loc2:
      return Operands{.bytes = 2};
    case DW_CFA_advance_loc4:
      return Operands{.bytes = 4};
    case DW_CFA_restore_extended:
    case DW_CFA_undefined:
    case DW_CFA_same_value:
    case DW_CFA_def_cfa_register:
      return Operands{.has_register = true};
    case DW_CFA_offset_extended:
    case DW_CFA_register:
    case DW_CFA_def_cfa:
    case DW_CFA_offset_extended_sf:
    case DW_CFA_def_cfa_sf:
    case DW_CFA_val_offset:
    case DW_CFA_val_offset_sf:
    case DW_CFA_GNU_negative_offset_extended:
      return Operands{.has_register = true, .numbers = 1};
    case DW_CFA_def_cfa_offset:
    case DW_CFA_def_cfa_offset_sf:
    case DW_CFA_GNU_args_size:
      return Operands{.numbers = 1};
    case DW_CFA_def_cfa_expression:
      return Operands{.has_block = true};
    case DW_CFA_expression:
    case DW_CFA_val_expression:
      return Operands{.has_register = true, .has_block = true};
    default:
      break;
  }
  // The upper two bits are the instruction, the others its first operand.
  const int kind = instruction & 0xc0;
  if (kind == DW_CFA_advance_loc || kind == DW_CFA_restore) return Operands{};
  if (kind == DW_CFA_offset) return Operands{.numbers = 1};
  return std::nullopt;
}

}  // namespace

bool is_harmless_cfi_program(Bytes instructions) {
  if (instructions.size() > kMaxBytes) return false;
  CfiCursor cursor(instructions);
  int remembered = 0;
  while (!cursor.at_end()) {
    const auto instruction = cursor.fixed<std::uint8_t>();
    const std::optional<Operands> operands = operands_of(instruction);
    if (!operands) return false;
    if (instruction == DW_CFA_remember_state && ++remembered > kMaxRemembered) return false;
    if (operands->has_register && cursor.unsigned_leb() >= kMaxRegister) return false;
    for (int i = 0; i < operands->numbers; ++i) (void)cursor.unsigned_leb();
    if (operands->has_block) cursor.skip(cursor.unsigned_leb());
    cursor.skip(operands->bytes);
  }
  return !cursor.failed();
}

}  // namespace flametap::native
