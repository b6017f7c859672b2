// gzip: bytes in, a gzip member out, and back. The same bytes always give the same member: no time, no file name in it.
#pragma once

#include <string>
#include <string_view>

namespace flametap::format {

[[nodiscard]] std::string gzip(std::string_view content);

struct Unpacked {
  std::string content;
  std::string damage;  // why it ends where it does, if that is not its end: "it is cut off"
};

// All members of a gzip file, one after the other. Stops at the first damage and at the limit for files.
[[nodiscard]] Unpacked gunzip(std::string_view gzipped);

}  // namespace flametap::format
