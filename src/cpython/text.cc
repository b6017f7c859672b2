#include "cpython/text.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace flametap::cpython {
namespace {

using target::Address;
using target::Memory;
using target::ReadStatus;

constexpr char32_t kLastCharacter = 0x10ffff;
// No name and no path is that long: a length beyond is a torn or freed object.
constexpr std::uint64_t kMaxPlausibleLength = std::uint64_t{1} << 24;
constexpr std::string_view kEllipsis = "…";

bool is_surrogate(char32_t character) { return character >= 0xd800 && character <= 0xdfff; }

void append_escaped(char32_t character, std::string& text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  text += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) text += kDigits[character >> shift & 0xf];
}

// A character that is no surrogate.
void append_utf8(char32_t character, std::string& text) {
  const auto continuation = [&](int shift) { text += static_cast<char>(0x80 | (character >> shift & 0x3f)); };
  if (character < 0x80) {
    text += static_cast<char>(character);
  } else if (character < 0x800) {
    text += static_cast<char>(0xc0 | character >> 6);
    continuation(0);
  } else if (character < 0x10000) {
    text += static_cast<char>(0xe0 | character >> 12);
    continuation(6);
    continuation(0);
  } else {
    text += static_cast<char>(0xf0 | character >> 18);
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

char32_t character_at(Bytes characters, std::size_t index, std::uint8_t width) {
  char32_t character = 0;  // CPython's own order of bytes is that of the machine, which is ours
  for (std::size_t i = width; i-- > 0;) {
    character = character << 8 | std::to_integer<char32_t>(characters[index * width + i]);
  }
  return character;
}

// How many bytes the UTF-8 sequence at the start of `bytes` has; 0 if it is none, which includes overlong forms,
// surrogates and numbers beyond Unicode.
std::size_t utf8_sequence_length(Bytes bytes) {
  const auto at = [&](std::size_t i) { return std::to_integer<std::uint8_t>(bytes[i]); };
  if (at(0) < 0x80) return 1;
  const std::size_t length = at(0) >= 0xf0 ? 4 : at(0) >= 0xe0 ? 3 : 2;
  if (at(0) < 0xc2 || at(0) > 0xf4 || bytes.size() < length) return 0;
  char32_t character = at(0) & (0xff >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 0;
    character = character << 6 | (at(i) & 0x3f);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  return character < kSmallest[length] || character > kLastCharacter || is_surrogate(character) ? 0 : length;
}

bool is_utf8(Bytes bytes) {
  while (!bytes.empty()) {
    const std::size_t length = utf8_sequence_length(bytes);
    if (length == 0) return false;
    bytes = bytes.subspan(length);
  }
  return true;
}

// Cuts a sequence that the limit cut in two, so that a long UTF-8 string stays one.
Bytes whole_sequences(Bytes bytes) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(bytes.size(), 3); ++back) {
    const auto byte = std::to_integer<std::uint8_t>(bytes[bytes.size() - back]);
    if ((byte & 0xc0) == 0x80) continue;
    const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.first(bytes.size() - back) : bytes;
  }
  return bytes;
}

std::optional<TextData> byte_string_data(Memory& memory, const Layout& layout, Address object) {
  std::uint64_t length = 0;
  if (memory.read_value(object + layout.bytes.length, length) != ReadStatus::ok) return std::nullopt;
  if (length > kMaxPlausibleLength) return std::nullopt;
  return TextData{object + layout.bytes.data, length, 1};
}

std::optional<TextData> unicode_data(Memory& memory, const Layout& layout, Address object) {
  std::vector<std::byte> head(layout.text.ascii_data);  // what every string has
  if (memory.read(object, head) != ReadStatus::ok) return std::nullopt;
  const auto length = load<std::uint64_t>(head, layout.text.length).value_or(~std::uint64_t{0});
  const std::uint32_t state = load<std::uint32_t>(head, layout.text.state).value_or(0) >> layout.text.kind_shift;
  const auto width = static_cast<std::uint8_t>(state & 7);
  const bool compact = (state >> 3 & 1) != 0;
  const bool ascii = (state >> 4 & 1) != 0;
  if ((width != 1 && width != 2 && width != 4) || (ascii && width != 1)) return std::nullopt;
  if (length > kMaxPlausibleLength) return std::nullopt;

  Address data = object + (ascii ? layout.text.ascii_data : layout.text.compact_data);
  if (!compact && memory.read_value(object + layout.text.separate_data, data) != ReadStatus::ok) return std::nullopt;
  return TextData{data, length * width, width};
}

}  // namespace

std::optional<TextData> text_data(Memory& memory, const Layout& layout, Address object) {
  if (object == target::kNull) return std::nullopt;
  return layout.text_kind == TextKind::bytes ? byte_string_data(memory, layout, object)
                                             : unicode_data(memory, layout, object);
}

std::optional<std::string> read_text(Memory& memory, const Layout& layout, Address object) {
  const auto place = text_data(memory, layout, object);
  if (!place) return std::nullopt;
  const std::uint64_t limit = std::uint64_t{kMaxCharacters} * place->character_width;
  const bool cut = place->bytes > limit;
  std::vector<std::byte> data(std::min(place->bytes, limit));
  if (!data.empty() && memory.read(place->data, data) != ReadStatus::ok) return std::nullopt;

  std::optional<std::string> text;
  if (layout.text_kind == TextKind::bytes) {
    text = utf8_from_bytes(cut ? whole_sequences(data) : Bytes(data));
  } else {
    text = utf8_from_characters(data, place->character_width);
  }
  if (text && cut) text->append(kEllipsis);
  return text;
}

std::optional<std::string> utf8_from_characters(Bytes characters, std::uint8_t character_width) {
  if (character_width != 1 && character_width != 2 && character_width != 4) return std::nullopt;
  if (characters.size() % character_width != 0) return std::nullopt;
  std::string text;
  text.reserve(characters.size() / character_width);
  for (std::size_t i = 0; i < characters.size() / character_width; ++i) {
    const char32_t character = character_at(characters, i, character_width);
    if (character > kLastCharacter) return std::nullopt;
    is_surrogate(character) ? append_escaped(character, text) : append_utf8(character, text);
  }
  return text;
}

std::string utf8_from_bytes(Bytes bytes) {
  if (is_utf8(bytes)) return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  std::string text;
  for (const std::byte byte : bytes) append_utf8(std::to_integer<char32_t>(byte), text);
  return text;
}

}  // namespace flametap::cpython
