// gzip: bytes in, a gzip member out, and back. The same bytes always give the same member: no time, no file name in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "format/limits.h"

namespace flametap::format {

[[nodiscard]] std::string gzip(std::string_view content);

struct Unpacked {
  std::string content;
  std::string damage;  // why it ends where it does, if that is not its end: "it is cut off"
};

// All members of a gzip file, one after the other. Stops at the first damage and at the limit.
[[nodiscard]] Unpacked gunzip(std::string_view gzipped, std::size_t max_bytes = kMaxUnpackedBytes);

}  // namespace flametap::format
