// pprof: profile.proto in gzip, as `go tool pprof`, Pyroscope and Parca read it. See docs/formats/pprof.md.
#pragma once

#include <string>

#include "profile/profile.h"

namespace flametap::format {

[[nodiscard]] std::string write_pprof(const profile::Profile& profile);

}  // namespace flametap::format
