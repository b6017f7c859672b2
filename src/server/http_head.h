// The head of a request as Beast has parsed it, as our own value.
#pragma once

#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>

#include "base/result.h"
#include "server/message.h"

namespace flametap::server {

using RequestParser = boost::beast::http::request_parser<boost::beast::http::string_body>;

inline constexpr std::uint32_t kMaxHeadBytes = 16 << 10;

// Fails if a header that decides anything is there twice, there is no Host, or it is not clear where the request ends:
// what another server takes for its body could be a second request to us.
[[nodiscard]] Result<Head> head_of(const RequestParser& parser, const std::string& peer);

}  // namespace flametap::server
