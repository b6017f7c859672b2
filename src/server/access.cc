#include "server/access.h"

#include <algorithm>
#include <cctype>

#include "server/ascii.h"

namespace flametap::server {
namespace {

// Without the port.
std::string_view name_in(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);  // npos + 1 is 0: nothing
  return host.substr(0, host.find(':'));
}

bool has_sound_port(std::string_view host) {
  const std::string_view rest = host.substr(name_in(host).size());
  if (rest.empty()) return true;
  const auto is_digit = [](unsigned char character) { return std::isdigit(character) != 0; };
  return rest.front() == ':' && rest.size() >= 2 && rest.size() <= 6 && std::ranges::all_of(rest.substr(1), is_digit);
}

bool is_number(std::string_view name) {
  if (name.starts_with('[')) return name.ends_with(']') && name.find_first_not_of("[]0123456789abcdef:.") == name.npos;
  return !name.empty() && name.find_first_not_of("0123456789.") == name.npos;
}

constexpr std::string_view kScheme = "bearer ";

}  // namespace

bool is_our_host(const AccessRules& rules, std::string_view host) {
  const std::string name = lower(name_in(host));
  if (name.empty() || !has_sound_port(host)) return false;
  return std::ranges::find(rules.hosts, name) != rules.hosts.end() || (rules.any_address && is_number(name));
}

bool is_from_another_site(const Head& head) {
  const bool says_so = !head.fetch_site.empty() && head.fetch_site != "same-origin" && head.fetch_site != "none";
  if (says_so) return true;
  if (head.origin.empty()) return false;
  const std::size_t scheme_end = head.origin.find("://");
  // A sandboxed page has the origin `null`: whose it is nobody knows.
  return scheme_end == std::string::npos || lower(head.origin.substr(scheme_end + 3)) != lower(head.host);
}

bool has_token(const AccessRules& rules, const Head& head) {
  if (rules.token.empty()) return true;
  const std::string_view given = head.authorization;
  if (lower(given.substr(0, kScheme.size())) != kScheme) return false;
  const std::string_view token = given.substr(kScheme.size());
  unsigned difference = token.size() == rules.token.size() ? 0 : 1;
  for (std::size_t i = 0; i < rules.token.size(); ++i) {
    const char theirs = i < token.size() ? token[i] : '\0';
    difference |= static_cast<unsigned char>(theirs ^ rules.token[i]);
  }
  return difference == 0;
}

}  // namespace flametap::server
