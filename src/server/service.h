// Service: everything that the server answers, without a socket: heads and bodies in, responses out.
//
// admit() decides by the head alone, so that a refused body is never read; answer() does the work. Both may be called
// from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "server/access.h"
#include "server/intake.h"
#include "server/live.h"
#include "server/message.h"
#include "server/profile_routes.h"
#include "server/record_routes.h"
#include "server/router.h"
#include "server/upload_routes.h"

namespace flametap::server {

// The viewer: the page that every path for people gives.
struct Page {
  std::string html;
  std::string policy;  // its Content-Security-Policy
};

class Service {
 public:
  struct Options {
    AccessRules access;
    Page page;
    std::uint64_t max_upload = std::uint64_t{64} << 20;
    ListProcesses list_processes = {};
    std::shared_ptr<const ByteStream> program = {};  // that others can download; none: it cannot be read
  };
  // All borrowed; without recordings nothing is recorded.
  struct Parts {
    store::Store& store;
    Intake& intake;
    LiveRecordings& live;
    Recordings* recordings = nullptr;
  };

  Service(Options options, const Parts& parts);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  struct Admitted {
    Url url;
    Match match;
    std::uint64_t max_body;
  };
  // The Response says why it is refused.
  [[nodiscard]] std::variant<Admitted, Response> admit(const Head& head) const;

  // Never throws: what a handler throws is an error of ours, or that there is no memory left.
  [[nodiscard]] Response answer(const Head& head, const Admitted& admitted, std::string body) const;

 private:
  void add_pages();

  Options options_;
  bool allow_record_;
  ProfileRoutes profiles_;
  UploadRoutes uploads_;
  RecordRoutes records_;
  Router router_;
};

}  // namespace flametap::server
