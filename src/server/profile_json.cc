#include "server/profile_json.h"

#include <nlohmann/json.hpp>

namespace flametap::server {

nlohmann::ordered_json to_json(const store::Entry& entry, bool live) {
  // Nanoseconds since 1970 are more than a JavaScript number holds: these are texts.
  return {{"id", entry.id.text()},
          {"name", entry.name},
          {"command", entry.command},
          {"host", entry.host},
          {"python", entry.python},
          {"tags", entry.tags},
          {"start_unix_ns", std::to_string(entry.start_unix_ns)},
          {"duration_ns", std::to_string(entry.duration_ns)},
          {"uploaded_unix_ns", std::to_string(entry.uploaded_unix_ns)},
          {"bytes", entry.bytes},
          {"samples", entry.samples},
          {"mode", entry.mode},
          {"rate_hz", entry.rate_hz},
          {"live", live}};
}

Response json_response(unsigned status, const nlohmann::ordered_json& document) {
  return {.status = status, .body = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"};
}

std::string root_url(const Head& head) {
  return (head.forwarded_proto == "https" ? "https://" : "http://") + head.host + "/";
}

std::string page_url(const Head& head, const store::ProfileId& id) { return root_url(head) + "p/" + id.text(); }

Response created(const Head& head, const store::ProfileId& id, const std::vector<std::string>& warnings) {
  const std::string url = page_url(head, id);
  nlohmann::ordered_json answer = {{"id", id.text()}, {"url", url}};
  if (!warnings.empty()) answer["warnings"] = warnings;
  Response response = json_response(201, answer);
  response.headers.emplace_back("Location", url);
  return response;
}

}  // namespace flametap::server
