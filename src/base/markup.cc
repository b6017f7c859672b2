#include "base/markup.h"

namespace flametap {

std::string escaped_markup(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      case '\0':
        result += "\xef\xbf\xbd";
        break;
      default:
        result += letter;
    }
  }
  return result;
}

}  // namespace flametap
