// To which server a recording is sent, out of the words of --push and --token-file.
#pragma once

#include <string>

#include "base/result.h"
#include "server/push.h"

namespace flametap::cli {

struct PushTarget {
  server::ServerAddress server;
  std::string token;  // empty: none
};

// Without a file, the token is that of FLAMETAP_TOKEN in the environment, if there is one.
[[nodiscard]] Result<PushTarget> parse_push_target(const std::string& url, const std::string& token_file);

}  // namespace flametap::cli
