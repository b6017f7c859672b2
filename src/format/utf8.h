// UTF-8, as far as names need it: telling one character from what is none.
#pragma once

#include <cstddef>
#include <string_view>

namespace flametap::format {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD, for what is not UTF-8

// How many bytes at the start of `text`, which is not empty, are one well-formed character; 0 if none is. By the table
// of The Unicode Standard, 3.9: no surrogates, no overlong forms, nothing above U+10FFFF.
[[nodiscard]] std::size_t character_length(std::string_view text);

}  // namespace flametap::format
