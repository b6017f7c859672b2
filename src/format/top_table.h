// TopTable: the functions that were called most, as a table of text.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace flametap::format {

struct TopRow {
  pid_t pid = 0;
  std::int32_t line = 0;  // 0: not known
  std::string_view file;
  std::string_view function;
  std::uint64_t calls = 0;
};

// With the columns of the table in CPython's documentation, whatever the width of the names: for scripts.
[[nodiscard]] std::string write_top_rows(std::span<const TopRow> rows);

// For a terminal: no line is wider than `width`; of a file that is too long, the end is shown.
[[nodiscard]] std::string write_top_screen(std::span<const TopRow> rows, std::size_t width);

}  // namespace flametap::format
