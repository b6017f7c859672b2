#include "cpython/object_type.h"

#include <array>
#include <cstddef>
#include <span>

namespace flametap::cpython {
namespace {

using target::Address;
using target::Memory;
using target::ReadStatus;

constexpr int kDigitBits = 30;  // of CPython on every 64-bit machine
constexpr std::size_t kMaxDigits = 3;
constexpr std::uint64_t kSignBits = 3;  // 3.12+: of the tag; 0 is positive, 1 zero, 2 negative
constexpr int kTagShift = 3;

// Nothing: negative or too long.
std::optional<std::size_t> digit_count(IntegerKind kind, std::uint64_t size) {
  if (kind == IntegerKind::tagged_digits) {
    if ((size & kSignBits) > 1) return std::nullopt;
    size >>= kTagShift;
  }
  return size <= kMaxDigits ? std::optional<std::size_t>(size) : std::nullopt;
}

std::optional<std::uint64_t> join(const std::array<std::uint32_t, kMaxDigits>& digits, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) {
    if (digits[i] >> kDigitBits != 0 || value >> (64 - kDigitBits) != 0) return std::nullopt;
    value = value << kDigitBits | digits[i];
  }
  return value;
}

}  // namespace

std::optional<ObjectType> read_type(Memory& memory, const Layout& layout, Address object) {
  if (object == target::kNull || layout.type.flags == kAbsent) return std::nullopt;
  Address at = target::kNull;
  if (memory.read_value(object + layout.object.type, at) != ReadStatus::ok || at == target::kNull) return std::nullopt;
  ObjectType type;
  type.address = at;
  const auto segment = [&](Offset offset, auto& value) {
    return target::Segment{at + offset, std::as_writable_bytes(std::span(&value, 1))};
  };
  const std::array segments = {segment(layout.type.flags, type.flags), segment(layout.type.basic_size, type.basic_size),
                               segment(layout.type.dict_offset, type.dict_offset),
                               segment(layout.type.shared_keys, type.shared_keys)};
  const std::size_t stated = layout.type.shared_keys == kAbsent ? segments.size() - 1 : segments.size();
  const std::size_t filled = memory.read(std::span(segments).first(stated)).filled;
  if (filled < segments.size() - 1) return std::nullopt;
  // Types made in C are shorter: nothing stands there, and perhaps no memory either.
  if (filled < segments.size()) type.shared_keys = target::kNull;
  return type;
}

bool is_instance(Memory& memory, const Layout& layout, Address object, std::uint32_t flag) {
  const auto type = read_type(memory, layout, object);
  return type && (type->flags & flag) != 0;
}

std::optional<std::uint64_t> read_unsigned(Memory& memory, const Layout& layout, Address object) {
  if (!is_instance(memory, layout, object, layout.type_flag.integer)) return std::nullopt;
  if (layout.integer_kind == IntegerKind::machine_word) {
    std::int64_t value = 0;
    if (memory.read_value(object + layout.integer.digits, value) != ReadStatus::ok || value < 0) return std::nullopt;
    return static_cast<std::uint64_t>(value);
  }
  std::uint64_t size = 0;
  if (memory.read_value(object + layout.integer.size, size) != ReadStatus::ok) return std::nullopt;
  const auto count = digit_count(layout.integer_kind, size);
  if (!count) return std::nullopt;
  std::array<std::uint32_t, kMaxDigits> digits{};
  const auto wanted = std::as_writable_bytes(std::span(digits).first(*count));
  if (!wanted.empty() && memory.read(object + layout.integer.digits, wanted) != ReadStatus::ok) return std::nullopt;
  return join(digits, *count);
}

}  // namespace flametap::cpython
