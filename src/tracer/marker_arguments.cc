#include "tracer/marker_arguments.h"

#include <asm/ptrace.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace flametap::tracer {
namespace {

// The names of a register by how much of it is meant. Its upper half bytes (%ah) are never used.
struct Register {
  std::array<std::string_view, 4> names;
  std::size_t offset;
};

constexpr std::array kRegisters = {
    Register{{"rax", "eax", "ax", "al"}, offsetof(pt_regs, rax)},
    Register{{"rbx", "ebx", "bx", "bl"}, offsetof(pt_regs, rbx)},
    Register{{"rcx", "ecx", "cx", "cl"}, offsetof(pt_regs, rcx)},
    Register{{"rdx", "edx", "dx", "dl"}, offsetof(pt_regs, rdx)},
    Register{{"rsi", "esi", "si", "sil"}, offsetof(pt_regs, rsi)},
    Register{{"rdi", "edi", "di", "dil"}, offsetof(pt_regs, rdi)},
    Register{{"rbp", "ebp", "bp", "bpl"}, offsetof(pt_regs, rbp)},
    Register{{"rsp", "esp", "sp", "spl"}, offsetof(pt_regs, rsp)},
    Register{{"r8", "r8d", "r8w", "r8b"}, offsetof(pt_regs, r8)},
    Register{{"r9", "r9d", "r9w", "r9b"}, offsetof(pt_regs, r9)},
    Register{{"r10", "r10d", "r10w", "r10b"}, offsetof(pt_regs, r10)},
    Register{{"r11", "r11d", "r11w", "r11b"}, offsetof(pt_regs, r11)},
    Register{{"r12", "r12d", "r12w", "r12b"}, offsetof(pt_regs, r12)},
    Register{{"r13", "r13d", "r13w", "r13b"}, offsetof(pt_regs, r13)},
    Register{{"r14", "r14d", "r14w", "r14b"}, offsetof(pt_regs, r14)},
    Register{{"r15", "r15d", "r15w", "r15b"}, offsetof(pt_regs, r15)},
};

std::optional<std::uint16_t> register_offset(std::string_view name) {
  for (const Register& each : kRegisters) {
    for (const std::string_view known : each.names) {
      if (name == known) return static_cast<std::uint16_t>(each.offset);
    }
  }
  return std::nullopt;
}

bool take(std::string_view& text, char expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(1);
  return true;
}

// A number in front, which is taken off.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// "-4@112(%rsp)": a size, negative for signed values; then where: %register, $constant, or offset(%register).
std::optional<flametap_argument> parse_argument(std::string_view word) {
  const auto size = take_number(word);
  if (!size || !take(word, '@')) return std::nullopt;
  if (*size < -8 || *size > 8) return std::nullopt;
  const std::int64_t bytes = *size < 0 ? -*size : *size;
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) return std::nullopt;
  flametap_argument argument{};
  argument.size = static_cast<std::uint8_t>(bytes);
  argument.is_signed = *size < 0;
  if (take(word, '$')) {
    const auto constant = take_number(word);
    if (!constant || !word.empty()) return std::nullopt;
    argument.where = FLAMETAP_CONSTANT;
    argument.value = *constant;
    return argument;
  }
  argument.where = FLAMETAP_REGISTER;
  if (const auto offset = take_number(word)) argument.value = *offset;
  if (take(word, '(')) {
    if (!word.ends_with(')')) return std::nullopt;
    word.remove_suffix(1);
    argument.where = FLAMETAP_MEMORY;
  } else if (argument.value != 0) {
    return std::nullopt;
  }
  if (!take(word, '%')) return std::nullopt;
  const auto offset = register_offset(word);
  if (!offset) return std::nullopt;
  argument.register_offset = *offset;
  return argument;
}

}  // namespace

Result<flametap_marker> parse_arguments(std::string_view words) {
  flametap_marker marker;
  std::memset(&marker, 0, sizeof marker);  // compared as bytes
  for (flametap_argument& argument : marker.arguments) {
    while (take(words, ' ')) continue;
    const std::string_view word = words.substr(0, words.find(' '));
    if (word.empty()) break;
    const auto parsed = parse_argument(word);
    if (!parsed) return Error{Failure::failed, "an argument is said to be at \"" + std::string(word) + "\"", ""};
    argument = *parsed;
    words.remove_prefix(word.size());
  }
  return marker;
}

}  // namespace flametap::tracer
