#include "format/trace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "format/text.h"
#include "format/utf8.h"

namespace flametap::format {

void append_clean(std::string_view text, std::string& out) {
  const bool is_plain = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c != 0x7f; });
  if (is_plain) {
    out.append(text);
  } else {
    out.append(clean(text));
  }
}

void append_name(std::string_view text, std::string& out) {
  if (text.size() <= kLongestName) return append_clean(text, out);
  out.append(without_middle(clean(text)));
}

std::string duration_text(Nanoseconds duration) {
  struct Unit {
    double ns;
    std::string_view name;
  };
  constexpr std::array<Unit, 3> kUnits = {{{1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}}};
  if (duration < 1000) return fmt::format("{} ns", duration);
  for (const Unit& unit : kUnits) {
    const double value = static_cast<double>(duration) / unit.ns;
    if (value < 9.995) return fmt::format("{:.2f} {}", value, unit.name);
    if (value < 99.95) return fmt::format("{:.1f} {}", value, unit.name);
    if (value < 999.5) return fmt::format("{:.0f} {}", value, unit.name);
  }
  return fmt::format("{:.0f} s", static_cast<double>(duration) / 1e9);
}

std::string shortened(std::string_view text, std::size_t characters) {
  std::string result = clean(text);
  std::size_t end = 0;   // of so many characters
  std::size_t last = 0;  // where the last of them begins
  for (std::size_t count = 0; count < characters; ++count) {
    if (end == result.size()) return result;
    last = end;
    end += std::max<std::size_t>(character_length(std::string_view(result).substr(end)), 1);
  }
  if (end == result.size()) return result;
  result.resize(last);
  return result + "…";
}

}  // namespace flametap::format
