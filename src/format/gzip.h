// gzip: bytes in, a gzip member out. The same bytes always give the same member: no time, no file name in it.
#pragma once

#include <string>
#include <string_view>

namespace flametap::format {

[[nodiscard]] std::string gzip(std::string_view content);

}  // namespace flametap::format
