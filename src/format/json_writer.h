// JsonWriter: JSON text, written straight through. A document tree in between would hold a million samples twice.
//
// The two outer levels stand one key to a line, so that a recording can be read and compared by eye.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace flametap::format {

class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }

  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);

  // Shortest form that reads back as the same number. What JSON cannot say (infinity, not a number) becomes 0.
  JsonWriter& value(double number);

  template <std::integral Number>
  JsonWriter& value(Number number) {
    // Not an overload: a literal would rather be a bool than a std::string_view.
    if constexpr (std::same_as<Number, bool>) {
      return word(number ? "true" : "false");
    } else {
      char digits[24];
      const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, number);
      return word({digits, static_cast<std::size_t>(end.ptr - digits)});
    }
  }

  template <typename Value>
  JsonWriter& member(std::string_view name, const Value& content) {
    return key(name).value(content);
  }

  [[nodiscard]] std::string take() && { return std::move(text_) + "\n"; }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& word(std::string_view word);  // as it is
  void separate();

  std::string text_;
  std::size_t depth_ = 0;
  bool comma_ = false;  // whether the next value of this level needs one before it
};

}  // namespace flametap::format
