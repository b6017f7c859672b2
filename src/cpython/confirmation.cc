#include "cpython/confirmation.h"

#include <algorithm>
#include <cstring>

namespace flametap::cpython {

using target::Address;
using target::to_number;

void Confirmation::clear() {
  asked_count_ = 0;
  segment_count_ = 0;
  byte_count_ = 0;
}

// Witnesses are sorted by address: what lies near the one before is read with it.
bool Confirmation::ask(Address address, const KnownCode& known) {
  if (asked_count_ == kMaxCodes) return false;
  asked_[asked_count_++] = {address, segment_count_};
  std::uint64_t end = 0;
  for (const Witness& witness : known.witnesses) {
    const std::uint64_t from = to_number(witness.from);
    if (&witness == known.witnesses.data() || from > end + kNear) {
      if (segment_count_ == kMaxSegments) return false;
      segments_[segment_count_++] = {witness.from, std::span(bytes_).subspan(byte_count_, 0)};
      end = from;
    }
    const std::uint64_t more = std::max(from + witness.length, end) - end;
    if (more > kMaxBytes - byte_count_) return false;
    std::span<std::byte>& to = segments_[segment_count_ - 1].to;
    to = {to.data(), to.size() + more};
    byte_count_ += more;
    end += more;
  }
  return true;
}

// Its own are the first of them.
std::span<const target::Segment> Confirmation::segments_from(Address address) const {
  for (const Asked& asked : std::span(asked_).first(asked_count_)) {
    if (asked.address == address) return segments().subspan(asked.first_segment);
  }
  return {};
}

bool Confirmation::confirmed(Address address, const KnownCode& known) const {
  auto stretches = segments_from(address);
  for (const Witness& witness : known.witnesses) {
    const std::uint64_t from = to_number(witness.from);
    const auto ends_before = [&](const target::Segment& stretch) {
      return to_number(stretch.from) + stretch.to.size() < from + witness.length;
    };
    while (!stretches.empty() && ends_before(stretches.front())) stretches = stretches.subspan(1);
    if (stretches.empty() || from < to_number(stretches.front().from)) return false;
    const std::byte* const read = stretches.front().to.data() + (from - to_number(stretches.front().from));
    if (std::memcmp(read, known.expected_of(witness).data(), witness.length) != 0) return false;
  }
  return true;
}

}  // namespace flametap::cpython
