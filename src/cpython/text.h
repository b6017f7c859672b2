// Strings of the target: names and file names of code objects. Everything is checked before it is believed: a string
// object may be torn, freed or no string at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "cpython/layout.h"
#include "target/memory.h"

namespace flametap::cpython {

// Longer strings are cut, which a "…" at the end shows.
inline constexpr std::size_t kMaxCharacters = 4096;

// Where the characters of a string object are.
struct TextData {
  target::Address data = target::kNull;
  std::uint64_t bytes = 0;           // of all characters, without the zero behind them
  std::uint8_t character_width = 1;  // bytes per character: 1, 2 or 4
};

// Looks at the head of a string object. Nothing if it cannot be read or cannot be that of a string.
[[nodiscard]] std::optional<TextData> text_data(target::Memory& memory, const Layout& layout, target::Address object);

// The string as valid UTF-8. Nothing if it cannot be read or is none.
[[nodiscard]] std::optional<std::string> read_text(target::Memory& memory, const Layout& layout,
                                                   target::Address object);

// Characters of Python 3 as valid UTF-8. What UTF-8 cannot hold is spelled out as Python's "backslashreplace" does:
// a lone surrogate becomes \udc80. Nothing if some character is beyond Unicode, or the bytes are no whole characters.
[[nodiscard]] std::optional<std::string> utf8_from_characters(Bytes characters, std::uint8_t character_width);

// A str of Python 2 as valid UTF-8: as it is if it is UTF-8, else taken for Latin-1.
[[nodiscard]] std::string utf8_from_bytes(Bytes bytes);

}  // namespace flametap::cpython
