#include "tracer/literal.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "cpython/text.h"

namespace flametap::tracer {
namespace {

constexpr int kDigitBits = 30;
constexpr std::uint64_t kDecimalChunk = 1'000'000'000;
constexpr std::size_t kDecimalChunkDigits = 9;

// Divides in place; the remainder.
std::uint64_t divide(std::vector<std::uint32_t>& digits, std::uint64_t by) {
  std::uint64_t remainder = 0;
  for (std::size_t i = digits.size(); i-- > 0;) {
    const std::uint64_t part = remainder << kDigitBits | digits[i];
    digits[i] = static_cast<std::uint32_t>(part / by);
    remainder = part % by;
  }
  while (!digits.empty() && digits.back() == 0) digits.pop_back();
  return remainder;
}

struct Range {
  char32_t first;
  char32_t last;
};

// What Python does not print although it is a character: controls, separators other than the blank, invisible format
// characters (which can make a terminal write backwards), surrogates, characters for private use and none at all.
constexpr std::array kUnprintable = {
    Range{0x00, 0x1f},       Range{0x7f, 0xa0},       Range{0xad, 0xad},        Range{0x600, 0x605},
    Range{0x61c, 0x61c},     Range{0x6dd, 0x6dd},     Range{0x70f, 0x70f},      Range{0x890, 0x891},
    Range{0x8e2, 0x8e2},     Range{0x1680, 0x1680},   Range{0x180e, 0x180e},    Range{0x2000, 0x200f},
    Range{0x2028, 0x202f},   Range{0x205f, 0x206f},   Range{0x3000, 0x3000},    Range{0xd800, 0xf8ff},
    Range{0xfdd0, 0xfdef},   Range{0xfeff, 0xfeff},   Range{0xfff0, 0xfffb},    Range{0xfffe, 0xffff},
    Range{0x110bd, 0x110bd}, Range{0x110cd, 0x110cd}, Range{0x13430, 0x1343f},  Range{0x1bca0, 0x1bca3},
    Range{0x1d173, 0x1d17a}, Range{0xe0000, 0xe00ff}, Range{0xe01f0, 0x10ffff},
};

bool is_printable(char32_t character) {
  return std::none_of(kUnprintable.begin(), kUnprintable.end(),
                      [&](const Range& range) { return range.first <= character && character <= range.last; });
}

void append_hex(char32_t number, int digits, std::string& text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) text += kDigits[number >> shift & 0xf];
}

// Whether it was one that has an escape of its own.
bool append_short_escape(char32_t character, char quote, std::string& text) {
  if (character == U'\n') {
    text += "\\n";
  } else if (character == U'\r') {
    text += "\\r";
  } else if (character == U'\t') {
    text += "\\t";
  } else if (character == U'\\' || character == static_cast<char32_t>(quote)) {
    text += '\\';
    text += static_cast<char>(character);
  } else {
    return false;
  }
  return true;
}

void append_long_escape(char32_t character, std::string& text) {
  text += character <= 0xff ? "\\x" : character <= 0xffff ? "\\u" : "\\U";
  append_hex(character, character <= 0xff ? 2 : character <= 0xffff ? 4 : 8, text);
}

// Python prefers the single quote, unless only that occurs in the text.
template <typename Characters>
char quote_for(const Characters& characters) {
  const auto has = [&](char wanted) {
    return std::any_of(characters.begin(), characters.end(),
                       [&](auto each) { return static_cast<char32_t>(each) == static_cast<char32_t>(wanted); });
  };
  return has('\'') && !has('"') ? '"' : '\'';
}

}  // namespace

std::string integer_literal(bool negative, std::span<const std::uint32_t> digits) {
  std::vector<std::uint32_t> rest(digits.begin(), digits.end());
  std::string reversed;
  do {
    std::uint64_t chunk = divide(rest, kDecimalChunk);
    for (std::size_t i = 0; i < kDecimalChunkDigits && (chunk != 0 || !rest.empty() || reversed.empty()); ++i) {
      reversed += static_cast<char>('0' + chunk % 10);
      chunk /= 10;
    }
  } while (!rest.empty());
  if (negative) reversed += '-';
  return {reversed.rbegin(), reversed.rend()};
}

std::string float_literal(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer{};
  const auto text_of = [&](std::chars_format format) {
    const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format);
    return std::string(buffer.data(), written.ptr);
  };
  const std::string scientific = text_of(std::chars_format::scientific);
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  if (exponent < -4 || exponent >= 16) return scientific;
  std::string fixed = text_of(std::chars_format::fixed);
  if (fixed.find('.') == std::string::npos) fixed += ".0";
  return fixed;
}

std::string text_literal(std::u32string_view characters) {
  const char quote = quote_for(characters);
  std::string text(1, quote);
  for (const char32_t character : characters) {
    if (append_short_escape(character, quote, text)) continue;
    if (is_printable(character)) {
      text += cpython::utf8_from_characters(std::as_bytes(std::span(&character, 1)), sizeof character).value_or("");
    } else {
      append_long_escape(character, text);
    }
  }
  return text + quote;
}

std::string bytes_literal(Bytes bytes) {
  const char quote = quote_for(bytes);
  std::string text(1, quote);
  for (const std::byte byte : bytes) {
    const auto character = static_cast<char32_t>(byte);
    if (append_short_escape(character, quote, text)) continue;
    if (character >= 0x20 && character < 0x7f) {
      text += static_cast<char>(character);
    } else {
      append_long_escape(character, text);
    }
  }
  return text + quote;
}

}  // namespace flametap::tracer
