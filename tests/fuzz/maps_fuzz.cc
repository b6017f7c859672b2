// Any text may stand where a memory map is expected: it is refused, or what comes out keeps the promises of maps.h.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "target/maps.h"

using flametap::target::Address;
using flametap::target::Mapping;
using flametap::target::Maps;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const flametap::Result<Maps> maps = Maps::parse({reinterpret_cast<const char*>(data), size});
  if (!maps) return 0;
  Address last{};
  for (const Mapping& mapping : *maps) {
    if (mapping.begin < last || mapping.begin >= mapping.end) std::abort();
    if (maps->find(mapping.begin) != &mapping) std::abort();
    last = mapping.end;
  }
  return 0;
}
