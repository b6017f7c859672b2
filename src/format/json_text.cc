#include "format/json_text.h"

#include <fmt/format.h>

#include <iterator>

#include "format/utf8.h"

namespace flametap::format {
namespace {

bool is_plain(char c) { return c >= 0x20 && c != '"' && c != '\\'; }  // and ASCII

// The first character of `text` is not plain; gives its length.
std::size_t append_special(std::string_view text, std::string& out) {
  const char c = text.front();
  if (c == '"' || c == '\\') {
    out += '\\';
    out += c;
    return 1;
  }
  if (static_cast<unsigned char>(c) < 0x20) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    return 1;
  }
  const std::size_t length = character_length(text);
  out += length == 0 ? kReplacement : text.substr(0, length);
  return length == 0 ? 1 : length;
}

}  // namespace

void append_quoted(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (!text.empty()) text.remove_prefix(append_special(text, out));
  }
  out += '"';
}

}  // namespace flametap::format
