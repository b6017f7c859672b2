#include "format/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "format/utf8.h"

namespace flametap::format {
namespace {

constexpr std::size_t kDepthOnLines = 2;

}  // namespace

JsonWriter& JsonWriter::key(std::string_view name) {
  if (comma_) text_ += ',';
  if (depth_ <= kDepthOnLines) text_.append("\n").append(depth_ * 2, ' ');
  append_quoted(name);
  text_ += ':';
  if (depth_ <= kDepthOnLines) text_ += ' ';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_quoted(text);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  separate();
  fmt::format_to(std::back_inserter(text_), "{}", std::isfinite(number) ? number : 0.0);
  return *this;
}

JsonWriter& JsonWriter::word(std::string_view word) {
  separate();
  text_ += word;
  return *this;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  ++depth_;
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  const bool has_lines = bracket == '}' && depth_ <= kDepthOnLines && comma_;
  --depth_;
  if (has_lines) text_.append("\n").append(depth_ * 2, ' ');
  text_ += bracket;
  comma_ = true;
  return *this;
}

void JsonWriter::separate() {
  if (comma_) text_ += ',';
  comma_ = true;
}

// Control characters are kept, escaped: JSON loses nothing but what is not UTF-8.
void JsonWriter::append_quoted(std::string_view text) {
  text_ += '"';
  std::string_view rest = text;
  while (!rest.empty()) {
    const char c = rest.front();
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(text_), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      const std::size_t length = character_length(rest);
      if (length == 0) {
        text_ += kReplacement;
      } else {
        text_ += rest.substr(0, length);
        rest.remove_prefix(length - 1);
      }
    }
    rest.remove_prefix(1);
  }
  text_ += '"';
}

}  // namespace flametap::format
