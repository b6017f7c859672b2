// Whatever the bytes of a request, there is a response to it: parsed as by a session, admitted and answered by the
// whole service, on a store in memory.
#include <boost/asio/buffer.hpp>
#include <boost/none.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "server/http_head.h"
#include "server/service.h"
#include "store/sqlite_store.h"

namespace {

using namespace flametap;
using namespace flametap::server;

constexpr std::uint64_t kMaxUpload = 1 << 16;

struct Site {
  std::unique_ptr<store::SqliteStore> store = std::move(*store::SqliteStore::in_memory());
  LiveRecordings live;
  Intake intake{*store, {.max_bytes = 1}};  // only the newest stays
  Service service{{.access = {.hosts = {"localhost"}},
                   .page = {.html = "page", .policy = "default-src 'none'"},
                   .max_upload = kMaxUpload},
                  {.store = *store, .intake = intake, .live = live}};
};

void check(const Response& response) {
  if (response.status < 200 || response.status > 599 || response.policy.empty()) std::abort();
  for (const auto& [name, value] : response.headers) {
    if (value.find_first_of("\r\n") != std::string::npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Site site;
  RequestParser parser;
  parser.eager(true);
  parser.header_limit(kMaxHeadBytes);
  parser.body_limit(kMaxUpload);
  boost::beast::error_code error;
  while (size > 0 && !error && !parser.is_done()) {
    const std::size_t taken = parser.put(boost::asio::const_buffer(data, size), error);
    if (taken == 0) break;
    data += taken;
    size -= taken;
  }
  if (error || !parser.is_done()) return 0;
  const auto head = head_of(parser, "127.0.0.1");
  if (!head) return 0;
  const auto admitted = site.service.admit(*head);
  if (const auto* const refused = std::get_if<Response>(&admitted)) {
    check(*refused);
    return 0;
  }
  const Response response =
      site.service.answer(*head, std::get<Service::Admitted>(admitted), std::move(parser.get().body()));
  check(response);
  if (response.stream && response.stream->size > 0) (void)response.stream->read(0, 1 << 16);
  return 0;
}
