#include "tracer/captured_memory.h"

#include <algorithm>
#include <cstring>

namespace flametap::tracer {

using target::Address;
using target::ReadResult;
using target::ReadStatus;
using target::Segment;

ReadResult CapturedMemory::read(std::span<const Segment> segments) {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!copy(segments[i].from, segments[i].to)) return {ReadStatus::unmapped, i};
  }
  return {ReadStatus::ok, segments.size()};
}

bool CapturedMemory::copy(Address from, std::span<std::byte> to) const {
  while (!to.empty()) {
    const Bytes found = find(from, to.size());
    if (found.empty()) return false;
    std::memcpy(to.data(), found.data(), found.size());
    from = from + found.size();
    to = to.subspan(found.size());
  }
  return true;
}

Bytes CapturedMemory::find(Address from, std::size_t size) const {
  for (const Piece& piece : pieces_) {
    // Wraps around to a large number for what lies before the piece.
    const std::uint64_t offset = to_number(from) - to_number(piece.from);
    if (offset < piece.bytes.size())
      return piece.bytes.subspan(offset).first(std::min(size, piece.bytes.size() - offset));
  }
  return {};
}

}  // namespace flametap::tracer
