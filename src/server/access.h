// Who may ask: the rules that hold for every request before anything is done for it.
//
// A page of another site in somebody's browser can send requests to us, and by an address of its own that leads here
// (DNS rebinding) even read the answers. So the Host must be one of ours, and what changes anything must not come from
// another site.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/message.h"

namespace flametap::server {

struct AccessRules {
  std::vector<std::string> hosts;  // without port, in lower case, [::1] in brackets
  bool any_address = false;        // also every address that is written as a number: no name leads there
  std::string token = {};          // empty: none is needed
};

// By the Host header.
[[nodiscard]] bool is_our_host(const AccessRules& rules, std::string_view host);
// Whether a browser says that another site's page sent it.
[[nodiscard]] bool is_from_another_site(const Head& head);
// In a time that tells nothing about the token but its length.
[[nodiscard]] bool has_token(const AccessRules& rules, const Head& head);

}  // namespace flametap::server
