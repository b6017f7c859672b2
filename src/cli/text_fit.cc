#include "cli/text_fit.h"

#include <algorithm>

#include "cli/text_width.h"

namespace flametap::cli {
namespace {

constexpr std::size_t kNarrowest = 20;  // of a column of words or names; a terminal with less room wraps by itself

}  // namespace

std::string wrapped(std::string_view text, Columns columns, std::size_t at, std::size_t indent) {
  if (!columns || *columns < indent + kNarrowest) return std::string(text);
  std::string result;
  bool is_first = true;
  while (!text.empty()) {
    const std::string word(text.substr(0, text.find(' ')));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const std::size_t blank = is_first ? 0 : 1;
    if (!is_first && at + blank + width(word) > *columns) {
      result += "\n" + std::string(indent, ' ');
      at = indent;
    } else {
      result += std::string(blank, ' ');
      at += blank;
    }
    result += word;
    at += width(word);
    is_first = false;
  }
  return result;
}

std::string wrapped_lines(std::string_view text, Columns columns, std::size_t indent) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    result += wrapped(text.substr(0, end), columns, 0, indent) + "\n";
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return result;
}

NameWidths fit_names(Columns columns, std::size_t taken, NameWidths wanted) {
  if (!columns) return wanted;
  const std::size_t room = std::max(*columns, taken + kNarrowest) - taken;
  if (wanted.name + wanted.place <= room) return wanted;
  const std::size_t half = room / 2;
  if (wanted.place <= half) return {std::min(wanted.name, room - wanted.place), wanted.place};
  const std::size_t name = std::min(wanted.name, half);
  return {name, std::min(wanted.place, room - name)};
}

}  // namespace flametap::cli
