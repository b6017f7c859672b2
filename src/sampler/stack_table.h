// StackTable: the stacks of one process that were met, each with its number. Looking up a known one allocates nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stack/frame.h"

namespace flametap::sampler {

class StackTable {
 public:
  struct Found {
    std::uint32_t number;
    bool is_new;
  };

  StackTable() : slots_(kFirstSlots, kEmpty) {}

  // `truncated` is part of a stack's identity.
  [[nodiscard]] Found find_or_add(std::span<const stack::Frame> frames, bool truncated);

 private:
  static constexpr std::size_t kFirstSlots = 1024;
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};

  struct Entry {
    std::uint64_t hash;
    std::size_t first;  // in frames_
    std::uint32_t count;
    bool truncated;
  };

  void grow();

  std::vector<std::uint32_t> slots_;  // open addressing; numbers of entries
  std::vector<Entry> entries_;
  std::vector<stack::Frame> frames_;
};

}  // namespace flametap::sampler
