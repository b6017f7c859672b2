#include "tracer/object_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "cpython/text.h"
#include "tracer/literal.h"
#include "tracer/read_prefix.h"

namespace flametap::tracer {
namespace {

using cpython::IntegerKind;
using cpython::Layout;
using cpython::TextKind;
using target::Address;
using target::Memory;
using target::ReadStatus;

constexpr std::string_view kLeftOut = "…";
constexpr std::size_t kMaxItems = 16;
constexpr int kMaxDepth = 3;
constexpr std::size_t kMaxText = 8192;       // bytes; a sequence ends with the item that reaches it
constexpr std::uint64_t kMaxIntDigits = 64;  // of 30 bits: 578 decimal ones
constexpr std::uint32_t kDigitMask = 0x3fff'ffff;
constexpr std::uint64_t kSignBits = 3;  // 3.12+: of the tag; 0 is positive, 1 zero, 2 negative
constexpr int kTagShift = 3;

struct IntegerSize {
  bool negative = false;
  std::uint64_t digits = 0;
};

IntegerSize integer_size(IntegerKind kind, std::uint64_t word) {
  if (kind == IntegerKind::tagged_digits) return {(word & kSignBits) == 2, word >> kTagShift};
  const bool negative = static_cast<std::int64_t>(word) < 0;
  return {negative, negative ? 0 - word : word};
}

struct Brackets {
  char open;
  char close;
};

class Writer {
 public:
  Writer(Memory& objects, TypeNames& types, const Layout& layout) : objects_(objects), types_(types), layout_(layout) {}

  std::string write(Address object, int depth);

 private:
  // Nothing: it is none of the types that are written as values, or does not fit to its type.
  std::optional<std::string> value(Address object, const TypeNames::Type& type, int depth);
  std::optional<std::string> integer(Address object);
  std::optional<std::string> boolean(Address object);
  std::optional<std::string> floating(Address object);
  std::optional<std::string> text(Address object);
  std::optional<std::string> byte_string(Address object, std::string_view prefix);
  std::optional<std::string> tuple(Address object, int depth);
  std::optional<std::string> list(Address object, int depth);
  std::string sequence(Address items, std::uint64_t length, Brackets brackets, int depth);

  template <typename T>
  std::optional<T> read(Address from) {
    T number{};
    return objects_.read_value(from, number) == ReadStatus::ok ? std::optional(number) : std::nullopt;
  }

  Memory& objects_;
  TypeNames& types_;
  const Layout& layout_;
};

std::string Writer::write(Address object, int depth) {
  const auto type_address = read<Address>(object + layout_.object.type);
  const auto type = type_address ? types_.find(*type_address) : std::nullopt;
  if (!type) return std::string(kLeftOut);
  return value(object, *type, depth).value_or('<' + type->name + '>');
}

std::optional<std::string> Writer::value(Address object, const TypeNames::Type& type, int depth) {
  if (!type.built_in) return std::nullopt;
  const auto is = [&](std::string_view name, std::uint32_t flag) {
    return type.name == name && (type.flags & flag) == flag;
  };
  const Layout::TypeFlag& flag = layout_.type_flag;
  if (is("NoneType", 0)) return "None";
  if (is("bool", flag.integer)) return boolean(object);
  if (is("int", flag.integer)) return integer(object);
  if (is("float", 0)) return floating(object);
  if (is("str", flag.text)) return layout_.text_kind == TextKind::bytes ? byte_string(object, "") : text(object);
  if (is("bytes", flag.bytes)) return byte_string(object, "b");
  if (is("tuple", flag.tuple)) return tuple(object, depth);
  if (is("list", flag.list)) return list(object, depth);
  return std::nullopt;
}

std::optional<std::string> Writer::integer(Address object) {
  const Address digits_at = object + layout_.integer.digits;
  if (layout_.integer_kind == IntegerKind::machine_word) {
    const auto word = read<std::int64_t>(digits_at);
    return word ? std::optional(std::to_string(*word)) : std::nullopt;
  }
  const auto word = read<std::uint64_t>(object + layout_.integer.size);
  if (!word) return std::nullopt;
  const IntegerSize size = integer_size(layout_.integer_kind, *word);
  if (size.digits > kMaxIntDigits) return std::nullopt;
  std::vector<std::uint32_t> digits(size.digits);
  const auto bytes = std::as_writable_bytes(std::span(digits));
  if (!bytes.empty() && objects_.read(digits_at, bytes) != ReadStatus::ok) return std::nullopt;
  if (std::any_of(digits.begin(), digits.end(), [](std::uint32_t digit) { return digit > kDigitMask; })) {
    return std::nullopt;
  }
  return integer_literal(size.negative, digits);
}

std::optional<std::string> Writer::boolean(Address object) {
  const auto digit = read<std::uint32_t>(object + layout_.integer.digits);
  return digit ? std::optional(*digit != 0 ? "True" : "False") : std::nullopt;
}

std::optional<std::string> Writer::floating(Address object) {
  const auto number = read<double>(object + layout_.floating.value);
  return number ? std::optional(float_literal(*number)) : std::nullopt;
}

std::optional<std::string> Writer::text(Address object) {
  const auto place = cpython::text_data(objects_, layout_, object);
  if (!place) return std::nullopt;
  const std::size_t width = place->character_width;
  std::vector<std::byte> bytes(std::min<std::uint64_t>(place->bytes, cpython::kMaxCharacters * width));
  const std::size_t got = read_prefix(objects_, place->data, bytes) / width;
  std::u32string characters;
  for (std::size_t i = 0; i < got; ++i) {
    char32_t character = 0;
    std::memcpy(&character, bytes.data() + i * width, width);
    if (character > 0x10ffff) return std::nullopt;
    characters += character;
  }
  std::string literal = text_literal(characters);
  if (got * width < place->bytes) literal += kLeftOut;
  return literal;
}

std::optional<std::string> Writer::byte_string(Address object, std::string_view prefix) {
  const auto length = read<std::uint64_t>(object + layout_.bytes.length);
  if (!length || static_cast<std::int64_t>(*length) < 0) return std::nullopt;
  std::vector<std::byte> bytes(std::min<std::uint64_t>(*length, cpython::kMaxCharacters));
  bytes.resize(read_prefix(objects_, object + layout_.bytes.data, bytes));
  std::string literal = std::string(prefix) + bytes_literal(bytes);
  if (bytes.size() < *length) literal += kLeftOut;
  return literal;
}

std::optional<std::string> Writer::tuple(Address object, int depth) {
  const auto length = read<std::uint64_t>(object + layout_.tuple.length);
  if (!length) return std::nullopt;
  return sequence(object + layout_.tuple.items, *length, {'(', ')'}, depth);
}

std::optional<std::string> Writer::list(Address object, int depth) {
  const auto length = read<std::uint64_t>(object + layout_.list.length);
  const auto items = read<Address>(object + layout_.list.items);
  if (!length || !items) return std::nullopt;
  return sequence(*items, *length, {'[', ']'}, depth);
}

std::string Writer::sequence(Address items, std::uint64_t length, Brackets brackets, int depth) {
  std::array<Address, kMaxItems> addresses{};
  const auto wanted = std::span(addresses).first(depth < kMaxDepth ? std::min<std::uint64_t>(length, kMaxItems) : 0);
  const std::size_t got = read_prefix(objects_, items, std::as_writable_bytes(wanted)) / sizeof(Address);
  std::string text(1, brackets.open);
  std::size_t written = 0;
  for (; written < got && text.size() < kMaxText; ++written) {
    if (written > 0) text += ", ";
    text += write(addresses[written], depth + 1);
  }
  if (written < length) text.append(written > 0 ? ", " : "").append(kLeftOut);
  if (length == 1 && brackets.open == '(') text += ',';
  return text + brackets.close;
}

}  // namespace

std::string object_text(Memory& objects, TypeNames& types, const Layout& layout, Address object) {
  return Writer(objects, types, layout).write(object, 0);
}

}  // namespace flametap::tracer
