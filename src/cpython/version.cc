#include "cpython/version.h"

namespace flametap::cpython {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_printable(char c) { return c >= ' ' && c <= '~'; }

// Takes a number of up to three digits off the front of `text`.
std::optional<int> take_number(std::string_view& text) {
  std::size_t digits = 0;
  int number = 0;
  while (digits < text.size() && is_digit(text[digits])) {
    if (digits == 3) return std::nullopt;
    number = number * 10 + (text[digits++] - '0');
  }
  if (digits == 0) return std::nullopt;
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

// "3.8", taken off the front of `text`.
std::optional<Version> take_minor(std::string_view& text) {
  const auto major = take_number(text);
  if (!major || !take(text, ".")) return std::nullopt;
  const auto minor = take_number(text);
  if (!minor) return std::nullopt;
  return Version{*major, *minor, Version::kUnknownMicro};
}

// What may stand between the numbers and the blank: "rc2", "a7", "b1", "+" (built from a checkout), or a mix of them.
void take_release_stage(std::string_view& text) {
  constexpr std::size_t kLongest = 8;
  for (std::size_t i = 0; i < kLongest && !text.empty(); ++i) {
    if (std::string_view("abrc+").find(text.front()) == std::string_view::npos && !is_digit(text.front())) return;
    text.remove_prefix(1);
  }
}

// Whether `text` begins as sys.version does.
std::optional<Version> parse_version_string(std::string_view text) {
  auto version = take_minor(text);
  if (!version || !take(text, ".")) return std::nullopt;
  const auto micro = take_number(text);
  if (!micro) return std::nullopt;
  version->micro = *micro;
  take_release_stage(text);
  return take(text, " (") ? version : std::nullopt;
}

}  // namespace

std::optional<Version> find_version_string(Bytes bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  // The blank and the parenthesis are much rarer than digits: look for them, then back for the start of that string.
  // Only a whole string counts: CPython also says "UnicodeData File Format 5.2.0 (see" somewhere.
  constexpr std::size_t kLongest = 24;
  for (std::size_t end = text.find(" ("); end != std::string_view::npos; end = text.find(" (", end + 1)) {
    std::size_t start = end;
    while (start > 0 && end - start < kLongest && is_printable(text[start - 1])) --start;
    if (const auto version = parse_version_string(text.substr(start))) return version;
  }
  return std::nullopt;
}

std::optional<Version> version_from_file_name(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 is 0: no slash, the whole path
  take(name, "lib");
  if (!take(name, "python")) return std::nullopt;
  return take_minor(name);
}

}  // namespace flametap::cpython
