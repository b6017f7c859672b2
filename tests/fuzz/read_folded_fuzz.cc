// Whatever the bytes, in whichever dialect, read_folded gives an error or a profile that every writer takes and whose
// folded text reads back as itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "format/folded.h"
#include "format/format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flametap;
  const Result<format::ReadProfile> read = format::read_folded({reinterpret_cast<const char*>(data), size});
  if (!read) return 0;
  for (const format::Format format : {format::Format::svg, format::Format::speedscope, format::Format::pprof,
                                      format::Format::chrome, format::Format::cpuprofile, format::Format::json}) {
    (void)format::write(format, read->profile);
  }
  const std::string once = format::write_folded(read->profile);
  const Result<format::ReadProfile> again = format::read_folded(once);
  if (!again || !again->warnings.empty() || format::write_folded(again->profile) != once) std::abort();
  return 0;
}
