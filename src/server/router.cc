#include "server/router.h"

#include <optional>

namespace flametap::server {
namespace {

std::string_view name(Method method) {
  switch (method) {
    case Method::get:
      return "GET, HEAD";
    case Method::head:
      return "HEAD";
    case Method::post:
      return "POST";
    case Method::patch:
      return "PATCH";
    case Method::remove:
      return "DELETE";
    case Method::other:
      break;
  }
  return "";
}

// The words for the braces; nothing if the path does not fit.
std::optional<std::vector<std::string>> fit(std::string_view pattern, const std::vector<std::string>& path) {
  std::vector<std::string> words;
  pattern.remove_prefix(1);
  for (const std::string& word : path) {
    if (pattern.empty()) return std::nullopt;
    const std::size_t end = pattern.find('/');
    const std::string_view expected = pattern.substr(0, end);
    pattern.remove_prefix(end == std::string_view::npos ? pattern.size() : end + 1);
    if (expected.starts_with('{')) {
      words.push_back(word);
    } else if (word != expected) {
      return std::nullopt;
    }
  }
  if (!pattern.empty()) return std::nullopt;
  return words;
}

}  // namespace

std::variant<Match, Response> Router::match(Method method, const Url& url) const {
  const Method asked = method == Method::head ? Method::get : method;
  std::string allowed;
  for (const Route& route : routes_) {
    auto words = fit(route.pattern, url.path);
    if (!words) continue;
    if (route.method == asked) return Match{&route, std::move(*words)};
    if (!allowed.empty()) allowed += ", ";
    allowed += name(route.method);
  }
  if (allowed.empty()) return failure(404, "there is no such page");
  Response response = failure(405, "this cannot be done here", "allowed: " + allowed);
  response.headers.emplace_back("Allow", allowed);
  return response;
}

}  // namespace flametap::server
