// The names and tags that people give to profiles: UTF-8, short, and without control characters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace flametap::server {

inline constexpr std::size_t kMaxLabelBytes = 200;
inline constexpr std::size_t kMaxTags = 32;

// The text itself, without blanks around it. `what` is for the message.
[[nodiscard]] Result<std::string> parse_label(std::string_view text, const std::string& what);

// Words with commas between them; the same one twice counts once.
[[nodiscard]] Result<std::vector<std::string>> parse_tags(std::string_view text);
[[nodiscard]] Result<std::vector<std::string>> parse_tags(const std::vector<std::string>& words);

// What a program said of itself, made into a text of at most so many bytes that can be shown.
[[nodiscard]] std::string shown_text(std::string_view text, std::size_t max_bytes);

}  // namespace flametap::server
