#include "server/http_head.h"

namespace flametap::server {
namespace {

namespace http = boost::beast::http;

Method method_of(http::verb verb) {
  switch (verb) {
    case http::verb::get:
      return Method::get;
    case http::verb::head:
      return Method::head;
    case http::verb::post:
      return Method::post;
    case http::verb::patch:
      return Method::patch;
    case http::verb::delete_:
      return Method::remove;
    default:
      return Method::other;
  }
}

// Beast takes every other one for no encoding at all.
bool has_known_encoding(const http::fields& headers) {
  const auto found = headers.find(http::field::transfer_encoding);
  if (found == headers.end()) return true;
  return headers.count(http::field::transfer_encoding) == 1 && boost::beast::iequals(found->value(), "chunked");
}

}  // namespace

Result<Head> head_of(const RequestParser& parser, const std::string& peer) {
  const auto& request = parser.get();
  Head head{.method = method_of(request.method()), .target = std::string(request.target()), .peer = peer};
  bool sound = true;
  const auto take = [&](http::field field) {
    sound = sound && request.count(field) <= 1;
    return std::string(request[field]);
  };
  head.host = take(http::field::host);
  head.origin = take(http::field::origin);
  head.authorization = take(http::field::authorization);
  head.content_type = take(http::field::content_type);
  head.fetch_site = std::string(request["Sec-Fetch-Site"]);
  head.forwarded_proto = std::string(request["X-Forwarded-Proto"]);
  if (const auto length = parser.content_length()) head.content_length = *length;
  if (!sound || head.host.empty()) return Error{Failure::usage, "a header is missing, or there twice", ""};
  if (!has_known_encoding(request)) return Error{Failure::usage, "the only transfer encoding is chunked", ""};
  return head;
}

}  // namespace flametap::server
