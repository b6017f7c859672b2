// The routes that take profiles in: our own, the one of pyflame-server with its pictures, and the one of Pyroscope.
#pragma once

#include "server/intake.h"
#include "server/profile_routes.h"
#include "server/router.h"

namespace flametap::server {

class UploadRoutes {
 public:
  // Borrows all.
  UploadRoutes(Intake& intake, store::Store& store, ProfileRoutes& profiles)
      : intake_(intake), store_(store), profiles_(profiles) {}

  void add_to(Router& router);

 private:
  [[nodiscard]] Response add_profile(const Call& call);
  [[nodiscard]] Response upload(const Call& call);
  [[nodiscard]] Response ingest(const Call& call);
  [[nodiscard]] Response list_svgs(const Call& call);
  [[nodiscard]] Response show_svg(const Call& call);

  // Gives the id, or the response that says why not.
  [[nodiscard]] std::variant<store::ProfileId, Response> take(std::string_view bytes, const Label& label,
                                                              const Known& known = {});

  Intake& intake_;
  store::Store& store_;
  ProfileRoutes& profiles_;
};

}  // namespace flametap::server
