// Url: the path and the parameters of a request's target, decoded.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flametap::server {

struct Url {
  std::vector<std::string> path;  // its words between slashes: none of them holds a slash or a NUL
  std::map<std::string, std::string, std::less<>> parameters;  // the first of each name

  // Empty if it is not there.
  [[nodiscard]] std::string parameter(std::string_view name) const;
};

// Nothing if it is none: an encoding that is broken, a part that is absurd, `.` or `..` as a word.
[[nodiscard]] std::optional<Url> parse_url(std::string_view target);

// `%41` becomes `A`; nothing if a percent sign is not followed by two digits.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank);

// The number that the text is, of digits alone.
[[nodiscard]] std::optional<std::uint64_t> whole_number(std::string_view text);

}  // namespace flametap::server
