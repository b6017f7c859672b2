// PageCache: a Memory that reads whole pages and remembers them until told to forget.
//
// For learning about a target, where a pointer leads to the next and many of them lie on few pages. What it gives may
// be old and torn, so nothing that is read through it counts as true before a direct reading has confirmed it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "target/memory.h"

namespace flametap::target {

class PageCache : public Memory {
 public:
  // `memory` must outlive the cache.
  explicit PageCache(Memory& memory) : memory_(memory) {}

  using Memory::read;
  [[nodiscard]] ReadResult read(std::span<const Segment> segments) override;
  void forget() { pages_.clear(); }

 private:
  static constexpr std::uint64_t kPageSize = 4096;
  static constexpr std::size_t kMaxPages = 4096;  // a target that leads us astray costs 16 MiB, no more

  using Page = std::array<std::byte, kPageSize>;
  ReadStatus copy(Address from, std::span<std::byte> to);
  const Page* page(std::uint64_t number, ReadStatus& status);

  Memory& memory_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace flametap::target
