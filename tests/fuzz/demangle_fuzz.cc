// Any name has an answer of bounded length in bounded time, and one without suffixes stays so.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "native/demangle.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flametap::native;
  const std::string_view name(reinterpret_cast<const char*>(data), size);
  for (const char* const prefix : {"", "_Z", "_R", "_ZN"}) {
    const std::string raw = std::string(prefix).append(name);
    if (demangle(raw).size() > std::max(raw.size(), kMaxDemangledName + 4)) std::abort();
    const std::string_view base = without_clone_suffixes(raw);
    if (without_clone_suffixes(base) != base || !raw.starts_with(base)) std::abort();
  }
  return 0;
}
