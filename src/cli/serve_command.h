// `flametap serve`: keeps profiles and shows them in a browser. See docs/serving.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace flametap::cli {

struct ServeRequest {
  std::string address = "127.0.0.1";  // a number; IPv6 without brackets
  std::uint16_t port = 8040;
  std::vector<std::string> hosts;  // further names of this server
  std::string data;                // empty: the usual folder
  std::string token_file;
  bool no_auth = false;
  bool allow_record = false;
  std::optional<std::uint64_t> keep_days = {};
  std::optional<std::uint64_t> keep_bytes = {};
  std::uint64_t max_upload = std::uint64_t{64} << 20;
};

// Until SIGINT or SIGTERM.
[[nodiscard]] int serve(const ServeRequest& request);

}  // namespace flametap::cli
