#include "server/profile_routes.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>

#include "format/format.h"
#include "format/limits.h"
#include "format/read_any.h"
#include "server/intake.h"
#include "server/labels.h"
#include "server/profile_json.h"
#include "server/thumbnail.h"
#include "server/views.h"

namespace flametap::server {
namespace {

using store::ProfileId;

constexpr std::size_t kUsualLimit = 50;
constexpr std::size_t kMaxLimit = 500;
constexpr std::size_t kMaxSearchBytes = 200;
// A picture is looked at, not trusted: it runs its own script and nothing else, apart from our pages.
constexpr const char* kSvgPolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; sandbox allow-scripts";

Response no_such_profile() { return failure(404, "there is no such profile"); }

std::string content_type(std::string_view format) {
  if (format == "svg") return "image/svg+xml";
  if (format == "folded") return "text/plain; charset=utf-8";
  if (format == "html") return "text/html; charset=utf-8";
  if (format == "pprof" || format == "ftap") return "application/octet-stream";
  return "application/json";
}

// What stays of a name in a header and on any file system.
std::string file_name(std::string_view name, std::string_view ending) {
  std::string safe;
  for (const char character : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '-' || character == '_';
    safe += plain ? character : '-';
  }
  return safe.substr(0, 80) + std::string(ending);
}

void make_download(Response& response, std::string_view name, std::string_view ending) {
  response.headers.emplace_back("Content-Disposition", "attachment; filename=\"" + file_name(name, ending) + "\"");
}

Result<store::Change> parse_change(const std::string& body) {
  const nlohmann::json document = nlohmann::json::parse(body, nullptr, false);
  if (!document.is_object())
    return Error{Failure::usage, "the body is no JSON object", R"({"name": "...", "tags": ["..."]})"};
  store::Change change;
  for (const auto& [key, value] : document.items()) {
    if (key == "name" && value.is_string()) {
      auto name = parse_label(value.get<std::string>(), "the name");
      if (!name) return name.error();
      if (name->empty()) return Error{Failure::usage, "the name is empty", ""};
      change.name = std::move(*name);
    } else if (key == "tags" && value.is_array() &&
               std::ranges::all_of(value, [](const auto& tag) { return tag.is_string(); })) {
      auto tags = parse_tags(value.get<std::vector<std::string>>());
      if (!tags) return tags.error();
      change.tags = std::move(*tags);
    } else {
      return Error{Failure::usage, "'" + shown_text(key, 40) + "' cannot be changed, or not to that", ""};
    }
  }
  return change;
}

// Whether a live recording, of which there are few, is asked for by the search.
bool is_asked_for(const store::Entry& entry, const store::Query& query) {
  return query.tag.empty() && !query.before &&
         (entry.name + "\n" + entry.command + "\n" + entry.host).find(query.search) != std::string::npos;
}

}  // namespace

void ProfileRoutes::add_to(Router& router) {
  const auto to = [this](Response (ProfileRoutes::*handler)(const Call&)) {
    return [this, handler](const Call& call) { return (this->*handler)(call); };
  };
  router.add({Method::get, "/api/profiles", to(&ProfileRoutes::list)});
  router.add({Method::get, "/api/profiles/{id}", to(&ProfileRoutes::show)});
  router.add({Method::patch, "/api/profiles/{id}", to(&ProfileRoutes::change), Guard::token, Body::small});
  router.add({Method::remove, "/api/profiles/{id}", to(&ProfileRoutes::remove)});
  router.add({Method::get, "/api/profiles/{id}/ftap", to(&ProfileRoutes::recording)});
  router.add({Method::get, "/api/profiles/{id}/thumbnail.svg", to(&ProfileRoutes::picture)});
  router.add({Method::get, "/api/profiles/{id}/{format}", to(&ProfileRoutes::download), Guard::token, Body::none,
              Work::heavy});
}

Response ProfileRoutes::list(const Call& call) {
  store::Query query{.search = call.url.parameter("search").substr(0, kMaxSearchBytes),
                     .tag = call.url.parameter("tag"),
                     .limit = kUsualLimit};
  if (const std::string limit = call.url.parameter("limit"); !limit.empty()) {
    const auto number = whole_number(limit);
    if (!number || *number == 0) return failure(400, "limit is no number above 0");
    query.limit = std::min<std::size_t>(*number, kMaxLimit);
  }
  if (const std::string before = call.url.parameter("before"); !before.empty()) {
    query.before = whole_number(before);
    if (!query.before) return failure(400, "before is no cursor", "take the one that `next` gave");
  }
  nlohmann::ordered_json profiles = nlohmann::json::array();
  for (const auto& live : live_.all()) {
    const store::Entry entry = live->entry();
    if (is_asked_for(entry, query)) profiles.push_back(to_json(entry, true));
  }
  const auto listing = store_.list(query);
  if (!listing) return failure(500, listing.error());
  for (const store::Entry& entry : listing->entries) profiles.push_back(to_json(entry, false));
  nlohmann::ordered_json next;
  if (listing->next) next = std::to_string(*listing->next);
  return json_response(200, {{"profiles", profiles}, {"next", next}});
}

Response ProfileRoutes::show(const Call& call) {
  const auto id = ProfileId::parse(call.words[0]);
  if (!id) return no_such_profile();
  if (const auto live = live_.find(*id)) return json_response(200, to_json(live->entry(), !live->is_complete()));
  const auto entry = store_.find(*id);
  if (!entry) return failure(500, entry.error());
  return *entry ? json_response(200, to_json(**entry, false)) : no_such_profile();
}

Response ProfileRoutes::change(const Call& call) {
  const auto id = ProfileId::parse(call.words[0]);
  if (!id) return no_such_profile();
  if (live_.find(*id)) return failure(409, "it is still being recorded", "wait until it has ended");
  const auto change = parse_change(call.body);
  if (!change) return failure(422, change.error());
  const auto entry = store_.update(*id, *change);
  if (!entry) return failure(500, entry.error());
  return *entry ? json_response(200, to_json(**entry, false)) : no_such_profile();
}

Response ProfileRoutes::remove(const Call& call) {
  const auto id = ProfileId::parse(call.words[0]);
  if (!id) return no_such_profile();
  if (live_.find(*id)) return failure(409, "it is still being recorded", "wait until it has ended");
  const auto removed = store_.remove(*id);
  if (!removed) return failure(500, removed.error());
  return *removed ? Response{.status = 204} : no_such_profile();
}

Response ProfileRoutes::recording(const Call& call) {
  const auto id = ProfileId::parse(call.words[0]);
  if (!id) return no_such_profile();
  const std::string from_text = call.url.parameter("from");
  const auto from = from_text.empty() ? 0 : whole_number(from_text);
  if (!from) return failure(400, "from is no number");
  const auto live = live_.find(*id);
  return live ? live_part(live, *from) : stored_part(*id, *from);
}

Response ProfileRoutes::live_part(const std::shared_ptr<LiveRecording>& live, std::uint64_t from) {
  live->note_request();
  // Asked before the size: what is added in between would be missing from an answer that says it is the last one.
  const bool is_rest = live->is_complete();
  const std::uint64_t size = live->size();
  if (is_rest && from >= size) live->note_rest();
  Response response{.type = "application/octet-stream"};
  response.stream = std::make_shared<ByteStream>(
      ByteStream{size - std::min(from, size), [live, from, is_rest, size](std::uint64_t place, std::size_t max) {
                   auto bytes = live->read(from + place, max);
                   if (is_rest && bytes && from + place + bytes->size() >= size) live->note_rest();
                   return bytes;
                 }});
  response.headers.emplace_back("Flametap-Live", is_rest ? "no" : "yes");
  return response;
}

Response ProfileRoutes::stored_part(const ProfileId& id, std::uint64_t from) {
  const auto entry = store_.find(id);
  if (!entry) return failure(500, entry.error());
  if (!*entry) return no_such_profile();
  const std::uint64_t size = (*entry)->bytes;
  Response response{.type = "application/octet-stream"};
  response.stream = std::make_shared<ByteStream>(ByteStream{
      size - std::min(from, size),
      [&store = store_, id, from](std::uint64_t place, std::size_t max) { return store.read(id, from + place, max); }});
  response.headers.emplace_back("Flametap-Live", "no");
  make_download(response, (*entry)->name, ".ftap");
  return response;
}

Response ProfileRoutes::picture(const Call& call) {
  const auto id = ProfileId::parse(call.words[0]);
  if (!id) return no_such_profile();
  Response response{.type = "image/svg+xml", .policy = "default-src 'none'; sandbox"};
  if (live_.find(*id)) {
    response.body = thumbnail(profile::Profile());  // nothing to see yet
    return response;
  }
  auto picture = store_.thumbnail(*id);
  if (!picture) return failure(500, picture.error());
  if (!*picture) return no_such_profile();
  response.body = std::move(**picture);
  return response;
}

Result<std::optional<ProfileRoutes::Whole>> ProfileRoutes::whole(const ProfileId& id) {
  std::optional<Whole> none;
  if (const auto live = live_.find(id)) {
    auto bytes = live->read(0, std::min<std::uint64_t>(live->size(), format::kMaxFileBytes));
    if (!bytes) return bytes.error();
    return std::optional(Whole{live->entry().name, std::move(*bytes)});
  }
  const auto entry = store_.find(id);
  if (!entry) return entry.error();
  if (!*entry) return none;
  auto bytes = store_.read(id, 0, (*entry)->bytes);
  if (!bytes) return bytes.error();
  return std::optional(Whole{(*entry)->name, std::move(*bytes)});
}

Response ProfileRoutes::download(const Call& call) {
  const auto id = ProfileId::parse(call.words[0]);
  if (!id) return no_such_profile();
  const std::string& name = call.words[1];
  const auto format = format::format_by_name(name);
  if (!format) return failure(404, format.error());
  const auto found = whole(*id);
  if (!found) return failure(500, found.error());
  if (!*found) return no_such_profile();
  auto view = make_view(*format, (*found)->ftap);
  if (!view) return failure(422, view.error());
  Response response{.type = content_type(name), .body = std::move(*view)};
  if (name == "svg") response.policy = kSvgPolicy;
  make_download(response, (*found)->name, format::extension(*format));
  return response;
}

Response ProfileRoutes::svg(const ProfileId& id) {
  const auto found = whole(id);
  if (!found) return failure(500, found.error());
  if (!*found) return no_such_profile();
  auto view = make_view(format::Format::svg, (*found)->ftap);
  if (!view) return failure(422, view.error());
  return {.type = "image/svg+xml", .body = std::move(*view), .policy = kSvgPolicy};
}

}  // namespace flametap::server
