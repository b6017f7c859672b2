// Base64 as in RFC 4648, section 4: recordings inside of a page.
#pragma once

#include <string>
#include <string_view>

namespace flametap::viewer {

void append_base64(std::string_view bytes, std::string& out);

// Blanks and line ends are passed over. Ends at the first character that is neither, and at the padding: of a text that
// was cut or damaged this gives the bytes in front.
[[nodiscard]] std::string decode_base64(std::string_view text);

}  // namespace flametap::viewer
