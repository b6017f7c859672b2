// Coverage: which stretches of a target's memory a reading fetches, and where in its buffer each address lands.
//
// Wanted ranges that lie close together become one stretch: a stretch costs about 0.3 µs to read, whatever its length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "target/memory.h"

namespace flametap::cpython {

class Coverage {
 public:
  struct Stretch {
    std::uint64_t from;
    std::uint64_t end;
    std::size_t at;  // of `from`, in the buffer
    std::uint32_t marked;
  };

  static constexpr std::size_t kNowhere = ~std::size_t{0};

  void clear();
  void add(target::Address from, std::uint64_t length);
  // Sorts what was added, and joins what is at most `gap` bytes apart. Only then the rest may be asked.
  void build(std::uint64_t gap);

  [[nodiscard]] const std::vector<Stretch>& stretches() const { return stretches_; }
  [[nodiscard]] std::size_t size() const { return size_; }  // bytes of buffer

  // Where in the buffer [address, address + length) is, or kNowhere. Tries the stretch of the last answer first, since
  // the frames of a stack are mostly neighbours. Allocates nothing.
  [[nodiscard]] std::size_t offset_of(target::Address address, std::uint64_t length) const {
    const std::uint64_t from = target::to_number(address);
    if (last_ < stretches_.size()) {
      const Stretch& guess = stretches_[last_];
      if (from >= guess.from && from < guess.end && guess.end - from >= length) return guess.at + (from - guess.from);
    }
    return search(from, length);
  }

  // Notes on the stretch of the last answer that it was used in this round.
  void mark(std::uint32_t round) { stretches_[last_].marked = round; }
  // The last round in which the stretch that holds `address` was used; 0 if never.
  [[nodiscard]] std::uint32_t marked(target::Address address) const {
    return search(target::to_number(address), 1) == kNowhere ? 0 : stretches_[last_].marked;
  }

 private:
  [[nodiscard]] std::size_t search(std::uint64_t from, std::uint64_t length) const;

  std::vector<Stretch> stretches_;
  std::size_t size_ = 0;
  mutable std::size_t last_ = 0;
};

}  // namespace flametap::cpython
