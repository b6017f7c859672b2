// Words of HTTP, which are ASCII and mean the same in upper and lower case.
#pragma once

#include <string>
#include <string_view>

namespace flametap::server {

[[nodiscard]] inline std::string lower(std::string_view text) {
  std::string result(text);
  for (char& character : result) {
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
  }
  return result;
}

}  // namespace flametap::server
