#include "server/message.h"

#include <nlohmann/json.hpp>

namespace flametap::server {

Response failure(unsigned status, const std::string& message, const std::string& remedy) {
  nlohmann::json body = {{"error", message}};
  if (!remedy.empty()) body["remedy"] = remedy;
  // Messages may quote what was sent.
  return {.status = status, .body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"};
}

Response failure(unsigned status, const Error& error) { return failure(status, error.message, error.remedy); }

}  // namespace flametap::server
