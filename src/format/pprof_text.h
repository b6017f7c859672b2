// For tests: what a pprof file says, as text. Reads the bytes by profile.proto's field numbers alone.
#pragma once

#include <string>
#include <string_view>

namespace flametap::format {

// One line per field, indented by message; strings resolved. Numbers of fields that it does not know stand as they are.
[[nodiscard]] std::string pprof_text(std::string_view gzipped);

}  // namespace flametap::format
