#include "cli/push_target.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "cli/token_file.h"

namespace flametap::cli {
namespace {

// It goes into a header: a line end in it would begin another one.
Result<std::string> token_of_environment() {
  const char* const found = std::getenv("FLAMETAP_TOKEN");
  std::string token = found == nullptr ? "" : found;
  const bool sound = std::ranges::all_of(token, [](char letter) { return letter > ' ' && letter < 0x7f; });
  if (!sound) return Error{Failure::usage, "FLAMETAP_TOKEN holds more than visible characters", ""};
  return token;
}

}  // namespace

Result<PushTarget> parse_push_target(const std::string& url, const std::string& token_file) {
  const auto server = server::parse_server_address(url);
  if (!server) return server.error();
  auto token = token_file.empty() ? token_of_environment() : read_token(token_file);
  if (!token) return token.error();
  return PushTarget{*server, std::move(*token)};
}

}  // namespace flametap::cli
