#include "server/service.h"

#include <exception>
#include <new>
#include <utility>

#include "server/profile_json.h"

namespace flametap::server {
namespace {

constexpr std::uint64_t kMaxSmallBody = 64 << 10;

bool changes_something(Method method) { return method != Method::get && method != Method::head; }

std::uint64_t limit_of(Body body, std::uint64_t max_upload) {
  switch (body) {
    case Body::none:
      return 0;
    case Body::small:
      return kMaxSmallBody;
    case Body::upload:
      break;
  }
  return max_upload;
}

Response needs_token() {
  Response response = failure(401, "a token is needed", "send the header Authorization: Bearer TOKEN");
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace

Service::Service(Options options, const Parts& parts)
    : options_(std::move(options)),
      allow_record_(parts.recordings != nullptr),
      profiles_(parts.store, parts.live),
      uploads_(parts.intake, parts.store, profiles_),
      records_(parts.recordings, options_.list_processes) {
  add_pages();
  profiles_.add_to(router_);
  uploads_.add_to(router_);
  records_.add_to(router_);
}

void Service::add_pages() {
  const auto page = [this](const Call&) {
    Response response{.type = "text/html; charset=utf-8", .body = options_.page.html, .policy = options_.page.policy};
    response.headers.emplace_back("Cache-Control", "no-cache");
    return response;
  };
  for (const char* const pattern : {"/", "/p/{id}", "/diff/{before}/{after}", "/upload"})
    router_.add({Method::get, pattern, page, Guard::open});
  const auto status = [this](const Call&) {
    return json_response(
        200,
        {{"version", FLAMETAP_VERSION}, {"allow_record", allow_record_}, {"auth", !options_.access.token.empty()}});
  };
  router_.add({Method::get, "/api/status", status});
  const auto program = [this](const Call&) {
    if (!options_.program) return failure(404, "this server cannot read its own program");
    Response response{.type = "application/octet-stream", .stream = options_.program};
    response.headers.emplace_back("Content-Disposition", "attachment; filename=\"pyflame\"");
    return response;
  };
  router_.add({Method::get, "/pyflame", program});
}

std::variant<Service::Admitted, Response> Service::admit(const Head& head) const {
  if (!is_our_host(options_.access, head.host)) {
    return failure(421, "this server is not known by that name",
                   "use its address, or start it with --host NAME for each name that it has");
  }
  if (changes_something(head.method) && is_from_another_site(head))
    return failure(403, "this request comes from a page of another site");
  auto url = parse_url(head.target);
  if (!url) return failure(400, "the address is not well-formed");
  auto matched = router_.match(head.method, *url);
  if (auto* const refused = std::get_if<Response>(&matched)) return std::move(*refused);
  Match& match = std::get<Match>(matched);
  if (match.route->guard == Guard::token && !has_token(options_.access, head)) return needs_token();
  const std::uint64_t max_body = limit_of(match.route->body, options_.max_upload);
  if (head.content_length.value_or(0) > max_body) {
    return failure(413, "the body is larger than " + std::to_string(max_body) + " bytes",
                   match.route->body == Body::upload ? "start the server with a larger --max-upload" : "");
  }
  return Admitted{std::move(*url), std::move(match), max_body};
}

Response Service::answer(const Head& head, const Admitted& admitted, std::string body) const {
  try {
    return admitted.match.route->handler({head, admitted.url, admitted.match.words, std::move(body)});
  } catch (const std::bad_alloc&) {
    return failure(503, "there is not enough memory for this");
  } catch (const std::exception& error) {
    return failure(500, std::string("this should not happen: ") + error.what());
  }
}

}  // namespace flametap::server
