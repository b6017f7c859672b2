// The routes that take profiles in: our own, the one of pyflame-server with its pictures, and the one of Pyroscope.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

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

  struct Taken {
    store::ProfileId id;
    std::vector<std::string> warnings;
  };

  // Gives what was taken, or the response that says why it was not.
  [[nodiscard]] std::variant<Taken, Response> take(std::string_view bytes, const Label& label, const Known& known = {});

  Intake& intake_;
  store::Store& store_;
  ProfileRoutes& profiles_;
};

}  // namespace flametap::server
