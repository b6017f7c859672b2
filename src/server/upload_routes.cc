#include "server/upload_routes.h"

#include <array>
#include <ctime>

#include "base/clock.h"
#include "base/markup.h"
#include "format/format.h"
#include "server/ingest.h"
#include "server/labels.h"
#include "server/multipart.h"
#include "server/profile_json.h"

namespace flametap::server {
namespace {

using store::ProfileId;

constexpr const char* kUploadRemedy = "curl -F file=@profile.txt URL/upload";
constexpr std::string_view kSvg = ".svg";
constexpr std::size_t kListedSvgs = 500;

// Who sent it, unless the sender says so: behind a proxy all come from one address.
Result<std::string> host_of(const Call& call) {
  const std::string host = call.url.parameter("host");
  return host.empty() ? Result<std::string>(call.head.peer) : parse_label(host, "the host");
}

// The file's own name without folders and ending; a name that cannot be one is left out.
std::string name_of_file(const std::string& file_name) {
  const std::size_t folder = file_name.find_last_of("/\\");
  const std::string base = file_name.substr(folder + 1);  // npos + 1 is 0
  const auto label = parse_label(base.substr(0, base.size() - format::extension_of(base).size()), "the file's name");
  return label ? *label : "";
}

// In UTC, as "2026-01-31 12:34:56"; the same on every machine, whatever zone it is in.
std::string time_text(Nanoseconds unix_ns) {
  const auto seconds = static_cast<std::time_t>(unix_ns / kSecond);
  std::tm parts{};
  std::array<char, 40> text{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return "";
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts)};
}

// As `report` prints them.
std::string lines_of(const std::vector<std::string>& warnings) {
  std::string lines;
  for (const std::string& warning : warnings) lines += "warning: " + warning + "\n";
  return lines;
}

// What an agent sent: the body itself, or one part of a form.
Result<std::string_view> profile_of(const Call& call, std::vector<FormPart>& parts) {
  if (!is_form(call.head.content_type)) return std::string_view(call.body);
  auto form = parse_form(call.head.content_type, call.body);
  if (!form) return form.error();
  parts = std::move(*form);
  const FormPart* const part = find_part(parts, "profile");
  if (part == nullptr) return Error{Failure::usage, "the form has no field `profile`", ""};
  return part->content;
}

}  // namespace

void UploadRoutes::add_to(Router& router) {
  const auto to = [this](Response (UploadRoutes::*handler)(const Call&)) {
    return [this, handler](const Call& call) { return (this->*handler)(call); };
  };
  for (const auto& [pattern, handler] : {std::pair{"/api/profiles", &UploadRoutes::add_profile},
                                         {"/upload", &UploadRoutes::upload},
                                         {"/ingest", &UploadRoutes::ingest}}) {
    router.add({Method::post, pattern, to(handler), Guard::token, Body::upload, Work::heavy});
  }
  router.add({Method::get, "/svg", to(&UploadRoutes::list_svgs)});
  router.add({Method::get, "/svg/{name}", to(&UploadRoutes::show_svg), Guard::token, Body::none, Work::heavy});
}

std::variant<UploadRoutes::Taken, Response> UploadRoutes::take(std::string_view bytes, const Label& label,
                                                               const Known& known) {
  const auto prepared = intake_.prepare(bytes, label, known);
  if (!prepared) return failure(422, prepared.error().within("this profile cannot be read"));
  if (const auto kept = intake_.keep(*prepared); !kept)
    return failure(507, kept.error().within("the profile cannot be stored"));
  return Taken{prepared->entry.id, prepared->warnings};
}

Response UploadRoutes::add_profile(const Call& call) {
  const auto name = parse_label(call.url.parameter("name"), "the name");
  if (!name) return failure(422, name.error());
  const auto tags = parse_tags(call.url.parameter("tags"));
  if (!tags) return failure(422, tags.error());
  const auto host = host_of(call);
  if (!host) return failure(422, host.error());
  const auto taken = take(call.body, {.name = *name, .tags = *tags, .host = *host});
  if (const auto* const refused = std::get_if<Response>(&taken)) return *refused;
  const Taken& kept = std::get<Taken>(taken);
  return created(call.head, kept.id, kept.warnings);
}

Response UploadRoutes::upload(const Call& call) {
  const auto form = parse_form(call.head.content_type, call.body);
  if (!form) return failure(400, form.error().message, kUploadRemedy);
  const FormPart* const file = find_part(*form, "file");
  if (file == nullptr) return failure(400, "the form has no field `file`", kUploadRemedy);
  const auto taken = take(file->content, {.name = name_of_file(file->file_name), .host = call.head.peer});
  if (const auto* const refused = std::get_if<Response>(&taken)) return *refused;
  const Taken& kept = std::get<Taken>(taken);
  return {.type = "text/plain; charset=utf-8", .body = page_url(call.head, kept.id) + "\n" + lines_of(kept.warnings)};
}

Response UploadRoutes::ingest(const Call& call) {
  auto ingest = parse_ingest(call.url);
  if (!ingest) return failure(422, ingest.error());
  const std::string format = call.url.parameter("format");
  if (!format.empty() && format != "folded" && format != "pprof")
    return failure(422, "the format '" + shown_text(format, 40) + "' is not read here",
                   "format=folded or format=pprof");
  std::vector<FormPart> parts;
  const auto bytes = profile_of(call, parts);
  if (!bytes) return failure(400, bytes.error());
  ingest->label.host = call.head.peer;
  const auto taken = take(*bytes, ingest->label, ingest->known);
  if (const auto* const refused = std::get_if<Response>(&taken)) return *refused;
  return {.status = 200, .type = "text/plain; charset=utf-8", .body = lines_of(std::get<Taken>(taken).warnings)};
}

Response UploadRoutes::list_svgs(const Call&) {
  const auto listing = store_.list({.limit = kListedSvgs});
  if (!listing) return failure(500, listing.error());
  std::string html =
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Flame graphs</title></head>"
      "<body><h1>Flame graphs</h1><ul>\n";
  for (const store::Entry& entry : listing->entries) {
    const std::string file = entry.id.text() + std::string(kSvg);
    html += "<li><a href=\"/svg/" + file + "\">" + file + "</a> " + escaped_markup(entry.name) + ", " +
            time_text(entry.uploaded_unix_ns) + " UTC</li>\n";
  }
  return {.type = "text/html; charset=utf-8", .body = html + "</ul></body></html>\n"};
}

Response UploadRoutes::show_svg(const Call& call) {
  const std::string_view name = call.words[0];
  const auto id = name.ends_with(kSvg) ? ProfileId::parse(name.substr(0, name.size() - kSvg.size())) : std::nullopt;
  return id ? profiles_.svg(*id) : failure(404, "there is no such picture");
}

}  // namespace flametap::server
