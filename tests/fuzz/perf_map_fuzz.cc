// Any text can stand in a perf map: in one piece or in two, it gives the same names.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "native/perf_map.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flametap;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  native::PerfMap whole;
  const std::size_t taken = whole.add(text);
  if (taken > size || (taken > 0 && text[taken - 1] != '\n')) std::abort();
  native::PerfMap parts;
  const std::size_t first = parts.add(text.substr(0, size / 2));
  (void)parts.add(text.substr(first));
  if (parts.size() != whole.size()) std::abort();
  for (std::uint64_t address = 0; address < 0x10000; address += 0x7f) {
    const auto name = whole.find(target::Address{address});
    if (name != parts.find(target::Address{address}) || (name && name->empty())) std::abort();
  }
  return 0;
}
