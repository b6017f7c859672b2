#include "server/url.h"

#include <charconv>
#include <cstdint>

namespace flametap::server {
namespace {

constexpr std::size_t kMaxWords = 8;
constexpr std::size_t kMaxParameters = 32;

std::optional<std::vector<std::string>> words_of(std::string_view path) {
  std::vector<std::string> words;
  if (!path.starts_with('/')) return std::nullopt;
  path.remove_prefix(1);
  while (!path.empty()) {
    const std::size_t end = path.find('/');
    const auto word = percent_decoded(path.substr(0, end), false);
    const bool is_sound = word && !word->empty() && *word != "." && *word != ".." &&
                          word->find('/') == std::string::npos && word->find('\0') == std::string::npos;
    if (!is_sound || words.size() == kMaxWords) return std::nullopt;
    words.push_back(*word);
    if (end == std::string_view::npos) break;
    path.remove_prefix(end + 1);
  }
  return words;
}

}  // namespace

std::string Url::parameter(std::string_view name) const {
  const auto found = parameters.find(name);
  return found == parameters.end() ? "" : found->second;
}

std::optional<Url> parse_url(std::string_view target) {
  target = target.substr(0, target.find('#'));
  const std::size_t question = target.find('?');
  auto path = words_of(target.substr(0, question));
  if (!path) return std::nullopt;
  Url url{std::move(*path), {}};
  std::string_view query = question == std::string_view::npos ? "" : target.substr(question + 1);
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    const std::size_t equals = pair.find('=');
    const auto name = percent_decoded(pair.substr(0, equals), true);
    const auto value = percent_decoded(equals == std::string_view::npos ? "" : pair.substr(equals + 1), true);
    if (!name || !value || url.parameters.size() == kMaxParameters) return std::nullopt;
    url.parameters.emplace(*name, *value);
    if (end == std::string_view::npos) break;
    query.remove_prefix(end + 1);
  }
  return url;
}

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += plus_is_blank && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    std::uint8_t byte = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16).ptr;
    if (digits.size() != 2 || end != digits.data() + 2) return std::nullopt;
    decoded += static_cast<char>(byte);
    i += 2;
  }
  return decoded;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace flametap::server
