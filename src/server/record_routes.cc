#include "server/record_routes.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "server/labels.h"
#include "server/profile_json.h"

namespace flametap::server {
namespace {

constexpr std::size_t kMaxShownCommand = 1000;

Response not_allowed() { return failure(403, "this server does not record", "start it with --allow-record"); }

// A whole number from 1 to `most`; `number` stays as it is if the key is not there.
Result<void> take_number(const nlohmann::json& document, const char* key, std::uint64_t most, std::uint64_t& number) {
  const auto found = document.find(key);
  if (found == document.end()) return {};
  if (!found->is_number_integer() || *found < 1 || *found > most) {
    return Error{Failure::usage, std::string(key) + " is no whole number from 1 to " + std::to_string(most), ""};
  }
  number = found->get<std::uint64_t>();
  return {};
}

Result<RecordingRequest> parse_request(const std::string& body) {
  const nlohmann::json document = nlohmann::json::parse(body, nullptr, false);
  if (!document.is_object() || !document.contains("pid"))
    return Error{Failure::usage, "the body is no JSON object with a pid", R"({"pid": 1234, "seconds": 10})"};
  RecordingRequest request;
  std::uint64_t pid = 0;
  for (const auto& taken : {take_number(document, "pid", std::numeric_limits<pid_t>::max(), pid),
                            take_number(document, "seconds", kMaxRecordingSeconds, request.seconds),
                            take_number(document, "rate_hz", kMaxRecordingRate, request.rate_hz)}) {
    if (!taken) return taken.error();
  }
  request.pid = static_cast<pid_t>(pid);
  return request;
}

unsigned status_of(Failure kind) {
  switch (kind) {
    case Failure::not_permitted:
      return 403;
    case Failure::no_such_process:
      return 404;
    case Failure::not_python:
    case Failure::usage:
      return 422;
    case Failure::failed:
      break;
  }
  return 503;
}

}  // namespace

void RecordRoutes::add_to(Router& router) {
  router.add({Method::get, "/api/processes", [this](const Call& call) { return list(call); }, Guard::token, Body::none,
              Work::heavy});
  router.add({Method::post, "/api/record", [this](const Call& call) { return record(call); }, Guard::token, Body::small,
              Work::heavy});
}

Response RecordRoutes::list(const Call&) {
  if (recordings_ == nullptr) return not_allowed();
  nlohmann::ordered_json processes = nlohmann::json::array();
  for (const PythonProcess& process : list_()) {
    processes.push_back(
        {{"pid", process.pid}, {"command", shown_text(process.command, kMaxShownCommand)}, {"python", process.python}});
  }
  return json_response(200, {{"processes", processes}});
}

Response RecordRoutes::record(const Call& call) {
  if (recordings_ == nullptr) return not_allowed();
  const auto request = parse_request(call.body);
  if (!request) return failure(422, request.error());
  const auto id = recordings_->start(*request);
  if (!id) return failure(status_of(id.error().kind), id.error());
  return created(call.head, *id);
}

}  // namespace flametap::server
