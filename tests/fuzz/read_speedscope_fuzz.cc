// Whatever the bytes, read_speedscope gives an error or a profile that every writer takes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "format/format.h"
#include "format/speedscope.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flametap;
  const Result<format::ReadProfile> read = format::read_speedscope({reinterpret_cast<const char*>(data), size});
  if (!read) return 0;
  for (const format::Format format : {format::Format::svg, format::Format::folded, format::Format::pprof,
                                      format::Format::chrome, format::Format::cpuprofile, format::Format::json}) {
    (void)format::write(format, read->profile);
  }
  const Result<format::ReadProfile> again = format::read_speedscope(format::write_speedscope(read->profile));
  if (!again || !again->warnings.empty()) std::abort();
  if (again->profile.samples().size() != read->profile.samples().size()) std::abort();
  return 0;
}
