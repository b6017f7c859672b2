// Words that the views of a trace for people share.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"

namespace flametap::format {

// As clean() in text.h, without a copy: there are a million of them a second.
void append_clean(std::string_view text, std::string& out);

// The same for people: of what is very long the middle is left out.
void append_name(std::string_view text, std::string& out);

// Three digits that say something: "850 ns", "4.20 µs", "12.3 ms", "105 s". At most 8 characters up to 10,000 s.
[[nodiscard]] std::string duration_text(Nanoseconds duration);

// Cut to so many characters, the last of which then is "…".
[[nodiscard]] std::string shortened(std::string_view text, std::size_t characters);

}  // namespace flametap::format
