// Sending a recording to a flametap server, which need not be this machine's: `record --push`.
//
// What the server answers is hostile: bounded, and text for people only. Blocks, for minutes at the most, or until it
// is interrupted.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace flametap::server {

// Where a server is, out of `http://HOST[:PORT][/PATH]`.
struct ServerAddress {
  std::string host;  // without the brackets of an IPv6 address
  std::string port = "80";
  std::string path;       // of everything that the server has, without a slash at its end
  std::string authority;  // host and port as they were written, for the header `Host`
};

[[nodiscard]] Result<ServerAddress> parse_server_address(std::string_view url);

// Uploads a recording in .ftap; gives the URL of its page. An empty token: none is sent. `interrupted` is asked several
// times a second whether to give up.
[[nodiscard]] Result<std::string> push(const ServerAddress& server, const std::string& token, std::string_view ftap,
                                       const std::function<bool()>& interrupted);

}  // namespace flametap::server
