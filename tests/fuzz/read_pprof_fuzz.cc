// Whatever the bytes, compressed or not, read_any_text gives an error or a profile; of profile.proto, one that every
// writer takes and whose pprof reads back with the same sums.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "format/format.h"
#include "format/gzip.h"
#include "format/pprof.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flametap;
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  (void)format::read_any_text(content);
  const Result<format::ReadProfile> read = format::read_pprof(content);
  if (!read) return 0;
  for (const format::Format format : {format::Format::svg, format::Format::folded, format::Format::speedscope,
                                      format::Format::chrome, format::Format::cpuprofile, format::Format::json}) {
    (void)format::write(format, read->profile);
  }
  const Result<format::ReadProfile> again =
      format::read_pprof(format::gunzip(format::write_pprof(read->profile)).content);
  if (!again) return 0;  // samples without any name
  if (again->profile.total_weight_ns() != read->profile.total_weight_ns()) std::abort();
  if (again->profile.total_ticks() != read->profile.total_ticks()) std::abort();
  return 0;
}
