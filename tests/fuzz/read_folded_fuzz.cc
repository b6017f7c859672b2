// Whatever the bytes, read_folded gives an error or a profile whose folded text reads back as itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "format/folded.h"
#include "format/svg.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flametap;
  const Result<profile::Profile> profile = format::read_folded({reinterpret_cast<const char*>(data), size});
  if (!profile) return 0;
  (void)format::write_svg(*profile);
  const std::string once = format::write_folded(*profile);
  const Result<profile::Profile> again = format::read_folded(once);
  if (!again || format::write_folded(*again) != once) std::abort();
  return 0;
}
