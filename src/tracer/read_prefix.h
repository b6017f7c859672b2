// Reads as much as there is.
#pragma once

#include <bit>
#include <cstddef>
#include <span>

#include "target/memory.h"

namespace flametap::tracer {

// Fills `to` from its beginning on as far as the memory can be read without a gap; how many bytes that is. A number of
// reads that grows with the logarithm of the size.
[[nodiscard]] inline std::size_t read_prefix(target::Memory& memory, target::Address from, std::span<std::byte> to) {
  if (to.empty() || memory.read(from, to) == target::ReadStatus::ok) return to.size();
  std::size_t done = 0;
  for (std::size_t step = std::bit_floor(to.size()); step > 0; step /= 2) {
    if (step > to.size() - done) continue;
    if (memory.read(from + done, to.subspan(done, step)) == target::ReadStatus::ok) done += step;
  }
  return done;
}

}  // namespace flametap::tracer
