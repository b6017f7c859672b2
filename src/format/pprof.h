// pprof: profile.proto in gzip, as `go tool pprof`, Pyroscope and Parca read it. See docs/formats/pprof.md.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "format/read_any.h"
#include "profile/profile.h"

namespace flametap::format {

[[nodiscard]] std::string write_pprof(const profile::Profile& profile);

// Whether these bytes, which are not compressed, are those of profile.proto.
[[nodiscard]] bool looks_like_pprof(std::string_view content);

// profile.proto of any producer, not compressed. Of a file that is cut off, the samples before the cut, as far as the
// names that they need are there.
[[nodiscard]] Result<ReadProfile> read_pprof(std::string_view content, const ReadOptions& options = {});

}  // namespace flametap::format
