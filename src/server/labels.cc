#include "server/labels.h"

#include <algorithm>

#include "format/utf8.h"

namespace flametap::server {
namespace {

// Also those beyond ASCII: U+0080 to U+009F, and those that turn the direction of the text around them.
bool is_control(std::string_view character) {
  const auto byte = static_cast<unsigned char>(character.front());
  if (byte < 0x20 || byte == 0x7f) return true;
  if (byte == 0xc2) return static_cast<unsigned char>(character[1]) < 0xa0;
  return (character >= "\u202a" && character <= "\u202e") || (character >= "\u2066" && character <= "\u2069");
}

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(' ');
  if (start == std::string_view::npos) return "";
  return text.substr(start, text.find_last_not_of(' ') + 1 - start);
}

}  // namespace

Result<std::string> parse_label(std::string_view text, const std::string& what) {
  const std::string_view label = trimmed(text);
  if (label.size() > kMaxLabelBytes)
    return Error{Failure::usage, what + " is longer than " + std::to_string(kMaxLabelBytes) + " bytes", ""};
  for (std::string_view rest = label; !rest.empty();) {
    const std::size_t length = format::character_length(rest);
    if (length == 0) return Error{Failure::usage, what + " is not UTF-8", ""};
    if (is_control(rest.substr(0, length))) return Error{Failure::usage, what + " has a control character", ""};
    rest.remove_prefix(length);
  }
  return std::string(label);
}

Result<std::vector<std::string>> parse_tags(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty() && words.size() <= kMaxTags) {
    const std::size_t end = text.find(',');
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parse_tags(words);
}

Result<std::vector<std::string>> parse_tags(const std::vector<std::string>& words) {
  std::vector<std::string> tags;
  if (words.size() > kMaxTags)
    return Error{Failure::usage, "there are more than " + std::to_string(kMaxTags) + " tags", ""};
  for (const std::string& word : words) {
    auto tag = parse_label(word, "a tag");
    if (!tag) return tag.error();
    if (!tag->empty() && std::ranges::find(tags, *tag) == tags.end()) tags.push_back(std::move(*tag));
  }
  return tags;
}

std::string shown_text(std::string_view text, std::size_t max_bytes) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = format::character_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    const std::string_view part = length == 0 ? format::kReplacement : is_control(character) ? " " : character;
    if (shown.size() + part.size() > max_bytes) break;
    shown += part;
    text.remove_prefix(character.size());
  }
  return shown;
}

}  // namespace flametap::server
