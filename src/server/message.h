// What a client asks and what it is answered, apart from how either travels.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace flametap::server {

enum class Method : std::uint8_t { get, head, post, patch, remove, other };

// What is known of a request before its body has come. A header that is not there is empty.
struct Head {
  Method method = Method::other;
  std::string target = {};
  std::string peer = {};  // the address of the client
  std::string host = {};
  std::string origin = {};
  std::string fetch_site = {};
  std::string authorization = {};
  std::string content_type = {};
  std::string forwarded_proto = {};
  std::optional<std::uint64_t> content_length = {};
};

// Bytes that are fetched while they are sent.
struct ByteStream {
  std::uint64_t size = 0;
  // The bytes at that place of the stream, at most so many and at least one.
  std::function<Result<std::string>(std::uint64_t from, std::size_t max)> read;
};

struct Response {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::shared_ptr<const ByteStream> stream = {};                      // instead of the body
  std::vector<std::pair<std::string, std::string>> headers = {};      // more of them
  std::string policy = "default-src 'none'; frame-ancestors 'none'";  // the Content-Security-Policy
};

// {"error": "...", "remedy": "..."}; the remedy only if there is one.
[[nodiscard]] Response failure(unsigned status, const std::string& message, const std::string& remedy = "");
[[nodiscard]] Response failure(unsigned status, const Error& error);

}  // namespace flametap::server
