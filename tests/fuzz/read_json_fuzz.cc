// Whatever the bytes, read_json gives an error or a profile that every writer takes and that reads back as itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "format/format.h"
#include "format/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flametap;
  const Result<profile::Profile> profile = format::read_json({reinterpret_cast<const char*>(data), size});
  if (!profile) return 0;
  for (const format::Format format : {format::Format::svg, format::Format::folded, format::Format::speedscope,
                                      format::Format::pprof, format::Format::chrome, format::Format::cpuprofile}) {
    (void)format::write(format, *profile);
  }
  const std::string once = format::write_json(*profile);
  const Result<profile::Profile> again = format::read_json(once);
  if (!again || format::write_json(*again) != once) std::abort();
  return 0;
}
