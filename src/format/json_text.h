// Texts and numbers in JSON, for whoever writes it.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace flametap::format {

// In quotes. Control characters are kept, escaped: JSON loses nothing but what is not UTF-8, which becomes U+FFFD.
void append_quoted(std::string_view text, std::string& out);

template <std::integral Number>
void append_number(Number number, std::string& out) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace flametap::format
