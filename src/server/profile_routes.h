// The routes under /api/profiles that read and change what is there.
#pragma once

#include <string>
#include <string_view>

#include "server/live.h"
#include "server/router.h"
#include "store/store.h"

namespace flametap::server {

class ProfileRoutes {
 public:
  // Borrows both.
  ProfileRoutes(store::Store& store, LiveRecordings& live) : store_(store), live_(live) {}

  void add_to(Router& router);

  // A profile as an SVG; shared with /svg.
  [[nodiscard]] Response svg(const store::ProfileId& id);

 private:
  [[nodiscard]] Response list(const Call& call);
  [[nodiscard]] Response show(const Call& call);
  [[nodiscard]] Response change(const Call& call);
  [[nodiscard]] Response remove(const Call& call);
  [[nodiscard]] Response recording(const Call& call);
  [[nodiscard]] Response picture(const Call& call);
  [[nodiscard]] Response download(const Call& call);

  // All bytes of a recording, and its name; nothing: there is none.
  struct Whole {
    std::string name;
    std::string ftap;
  };
  [[nodiscard]] Result<std::optional<Whole>> whole(const store::ProfileId& id);
  [[nodiscard]] Response live_part(const std::shared_ptr<LiveRecording>& live, std::uint64_t from);
  [[nodiscard]] Response stored_part(const store::ProfileId& id, std::uint64_t from);

  store::Store& store_;
  LiveRecordings& live_;
};

}  // namespace flametap::server
