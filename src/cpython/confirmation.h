// Confirmation: whether code objects are still what they were when they were loaded, asked of several in one call.
// Allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "cpython/code_cache.h"
#include "target/memory.h"

namespace flametap::cpython {

class Confirmation {
 public:
  static constexpr std::size_t kMaxCodes = 64;

  void clear();
  // False: there is no room for its witnesses.
  [[nodiscard]] bool ask(target::Address address, const KnownCode& known);
  // To be read; then the rest may be asked. Valid until the next change.
  [[nodiscard]] std::span<const target::Segment> segments() const { return {segments_.data(), segment_count_}; }
  [[nodiscard]] bool confirmed(target::Address address, const KnownCode& known) const;

 private:
  static constexpr std::size_t kMaxSegments = 256;
  static constexpr std::size_t kMaxBytes = 1 << 14;
  static constexpr std::uint64_t kNear = 256;  // reading so much in vain is cheaper than one more stretch

  [[nodiscard]] std::span<const target::Segment> segments_from(target::Address address) const;

  struct Asked {
    target::Address address;
    std::size_t first_segment;
  };

  std::array<Asked, kMaxCodes> asked_{};
  std::size_t asked_count_ = 0;
  std::array<target::Segment, kMaxSegments> segments_{};
  std::size_t segment_count_ = 0;
  std::array<std::byte, kMaxBytes> bytes_{};
  std::size_t byte_count_ = 0;
};

}  // namespace flametap::cpython
