#include "format/top_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "format/utf8.h"

namespace flametap::format {
namespace {

constexpr std::array<std::string_view, 5> kTitles = {"PID", "FILENAME", "LINE", "FUNCTION", "CALLS"};

std::string line_text(std::int32_t line) { return line > 0 ? std::to_string(line) : "-"; }

// The last `count` characters, behind a sign that something is missing.
std::string end_of(std::string_view text, std::size_t count) {
  std::size_t characters = 0;
  for (std::string_view rest = text; !rest.empty(); ++characters) {
    rest.remove_prefix(std::max<std::size_t>(character_length(rest), 1));
  }
  if (characters <= count) return std::string(text);
  for (; characters + 1 > count && !text.empty(); --characters) {
    text.remove_prefix(std::max<std::size_t>(character_length(text), 1));
  }
  return "…" + std::string(text);
}

}  // namespace

std::string write_top_rows(std::span<const TopRow> rows) {
  std::string text;
  const auto add = [&](std::string_view pid, std::string_view file, std::string_view line, std::string_view function,
                       std::string_view calls) {
    fmt::format_to(std::back_inserter(text), "{:>6} {:>80} {:>6} {:>30} {:>6}\n", pid, file, line, function, calls);
  };
  add(kTitles[0], kTitles[1], kTitles[2], kTitles[3], kTitles[4]);
  for (const TopRow& row : rows) {
    add(std::to_string(row.pid), row.file, line_text(row.line), row.function, std::to_string(row.calls));
  }
  return text;
}

std::string write_top_screen(std::span<const TopRow> rows, std::size_t width) {
  constexpr std::size_t kNumbers = 8 + 1 + 6 + 1 + 10 + 2;  // pid, line and calls with the blanks between all columns
  constexpr std::size_t kLeast = 20;
  const std::size_t names = std::max(width, kNumbers + 2 * kLeast) - kNumbers;
  const std::size_t function_width = names * 2 / 5;
  const std::size_t file_width = names - function_width;
  std::string text;
  const auto add = [&](std::string_view calls, std::string_view pid, std::string_view function, std::string_view file,
                       std::string_view line) {
    fmt::format_to(std::back_inserter(text), "{:>10} {:>8} {:<{}} {:>{}} {:>6}\n", calls, pid,
                   end_of(function, function_width), function_width, end_of(file, file_width), file_width, line);
  };
  add(kTitles[4], kTitles[0], kTitles[3], kTitles[1], kTitles[2]);
  for (const TopRow& row : rows) {
    add(std::to_string(row.calls), std::to_string(row.pid), row.function, row.file, line_text(row.line));
  }
  return text;
}

}  // namespace flametap::format
