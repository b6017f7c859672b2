#include "format/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "format/json_text.h"

namespace flametap::format {
namespace {

constexpr std::size_t kDepthOnLines = 2;

}  // namespace

JsonWriter& JsonWriter::key(std::string_view name) {
  if (comma_) text_ += ',';
  if (depth_ <= kDepthOnLines) text_.append("\n").append(depth_ * 2, ' ');
  append_quoted(name, text_);
  text_ += ':';
  if (depth_ <= kDepthOnLines) text_ += ' ';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_quoted(text, text_);
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

}  // namespace flametap::format
