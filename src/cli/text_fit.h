// Text for a terminal of a given width: lines that break between words, and tables whose names are cut to fit.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace flametap::cli {

// How many characters a line may have; nothing: as many as it needs, because it goes to no terminal.
using Columns = std::optional<std::size_t>;

// The text with line breaks in place of blanks. It begins at column `at`, and its further lines begin at `indent`. A
// word that is longer than a line stays whole.
[[nodiscard]] std::string wrapped(std::string_view text, Columns columns, std::size_t at, std::size_t indent);
// The same of each line of a text.
[[nodiscard]] std::string wrapped_lines(std::string_view text, Columns columns, std::size_t indent);

// How wide the names of a table and the places beside them may be.
struct NameWidths {
  std::size_t name;
  std::size_t place;
};

// `taken` is what a line has beside them. Where both do not fit, each gets at least half of what is left.
[[nodiscard]] NameWidths fit_names(Columns columns, std::size_t taken, NameWidths wanted);

}  // namespace flametap::cli
