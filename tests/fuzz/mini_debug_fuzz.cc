// Any bytes may stand in .gnu_debugdata: they are refused, or become no more than was allowed.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "native/mini_debug.h"
#include "native/symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flametap;
  constexpr std::size_t kLimit = 1u << 20;
  const std::vector<std::byte> bytes = native::decompress_xz(std::as_bytes(std::span(data, size)), kLimit);
  if (bytes.size() > kLimit) std::abort();
  (void)native::Symbols::from_bytes(bytes).describe(target::LinkAddress{0x1000}, true);
  return 0;
}
