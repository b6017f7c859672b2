// Any bytes as the start of a _PyRuntime: what is accepted must be a layout that a reader can use.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cpython/debug_offsets.h"
#include "cpython/layout_table.h"

namespace {

using namespace flametap::cpython;

// A true description of itself by version 3.`minor`, so that the fuzzer need not guess 32 numbers that fit.
std::vector<std::byte> true_description(int minor) {
  const auto known = find_self_described({3, minor, 0}, false);
  std::vector<std::byte> bytes(kDebugOffsetsRead);
  const auto put = [&](Offset position, std::uint64_t number) { std::memcpy(bytes.data() + position, &number, 8); };
  std::memcpy(bytes.data(), "xdebugpy", 8);
  put(8, std::uint64_t{3} << 24 | static_cast<std::uint64_t>(minor) << 16 | 0xf0);
  Layout row = *known->row;
  for (const DescribedField& field : known->shape->fields) {
    put(field.size_position, 100'000);
    put(field.position, field.place(row));
  }
  return bytes;
}

void check(flametap::Bytes description) {
  auto layout = layout_from_debug_offsets(description);
  if (!layout) return;
  const auto known = find_self_described(layout->version, layout->free_threaded);
  if (!known || layout->thread.size == 0 || layout->frame.size == 0) std::abort();
  for (const DescribedField& field : known->shape->fields) {
    const Offset offset = field.place(*layout);
    if (offset > (1u << 24) && offset != kAbsent) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check(std::as_bytes(std::span(data, size)));
  if (size < 2) return 0;
  // The rest are changes to a true description: pairs of a word's number and its new, small value.
  std::vector<std::byte> description = true_description(13 + data[0] % 4);
  for (std::size_t i = 1; i + 2 < size; i += 3) {
    const auto value = static_cast<std::uint64_t>(data[i + 1] | data[i + 2] << 8);
    std::memcpy(description.data() + data[i] % (description.size() / 8) * 8, &value, 8);
  }
  check(description);
  return 0;
}
