// Text in HTML, SVG and other XML.
#pragma once

#include <string>
#include <string_view>

namespace flametap {

// Good between tags and in attributes, whichever quotes stand around them. A zero, which no document may have, becomes
// U+FFFD.
[[nodiscard]] std::string escaped_markup(std::string_view text);

}  // namespace flametap
