// Columns of tables: characters rather than bytes; a wide one counts as one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace flametap::cli {

[[nodiscard]] inline std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xc0) != 0x80; }));
}

[[nodiscard]] inline std::string padded(const std::string& text, std::size_t to) {
  return text + std::string(to - std::min(to, width(text)), ' ');
}

}  // namespace flametap::cli
