// Any bytes as a line table of every kind: both readings must stay inside it and agree.
#include <cstdint>
#include <cstdlib>

#include "cpython/line_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flametap::cpython;
  const flametap::Bytes bytes = std::as_bytes(std::span(data, size));
  const auto first_line = flametap::load<std::int32_t>(bytes, 0);
  const auto far = flametap::load<std::int32_t>(bytes, 4);
  if (!first_line || !far) return 0;
  const flametap::Bytes table = bytes.subspan(8);
  for (const LineTableKind kind : {LineTableKind::lnotab_unsigned, LineTableKind::lnotab_signed, LineTableKind::ranges,
                                   LineTableKind::locations}) {
    const LineMap map(kind, table, *first_line);
    const auto check = [&](std::int32_t at) {
      if (map.line_at(at) != line_of(kind, table, *first_line, at)) std::abort();
    };
    check(*far);
    for (std::int32_t at = -2; at < 128; ++at) check(at);
  }
  return 0;
}
