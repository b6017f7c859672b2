// CapturedMemory: the few stretches of a target's memory that were copied at one moment. Knows nothing else: what was
// not copied cannot be read, however alive the target is, because by now it may be something else.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "target/memory.h"

namespace flametap::tracer {

class CapturedMemory : public target::Memory {
 public:
  struct Piece {
    target::Address from;
    Bytes bytes;  // borrowed
  };

  // Meant for a few dozen pieces: each read looks through them.
  void add(target::Address from, Bytes bytes) { pieces_.push_back({from, bytes}); }
  void clear() { pieces_.clear(); }

  using Memory::read;
  // A stretch may lie across pieces that touch or overlap; of two that hold a byte, the one added first has it.
  [[nodiscard]] target::ReadResult read(std::span<const target::Segment> segments) override;

 private:
  [[nodiscard]] bool copy(target::Address from, std::span<std::byte> to) const;
  // The longest part of [from, from + size) from `from` on that one piece holds; empty if none does.
  [[nodiscard]] Bytes find(target::Address from, std::size_t size) const;

  std::vector<Piece> pieces_;
};

}  // namespace flametap::tracer
