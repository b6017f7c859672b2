#include "sampler/stack_table.h"

#include <algorithm>

namespace flametap::sampler {
namespace {

std::uint64_t hash_of(std::span<const stack::Frame> frames, bool truncated) {
  std::uint64_t hash = truncated ? 0x51ED270B : 0x2545F491;
  for (const stack::Frame& frame : frames) {
    const std::uint64_t word = std::uint64_t{frame.number} << 32 | static_cast<std::uint32_t>(frame.line);
    hash = (hash ^ word ^ static_cast<std::uint64_t>(frame.kind)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

StackTable::Found StackTable::find_or_add(std::span<const stack::Frame> frames, bool truncated) {
  const std::uint64_t hash = hash_of(frames, truncated);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != kEmpty; slot = (slot + 1) & mask) {
    const Entry& entry = entries_[slots_[slot]];
    if (entry.hash == hash && entry.truncated == truncated &&
        std::ranges::equal(frames, std::span(frames_).subspan(entry.first, entry.count))) {
      return {slots_[slot], false};
    }
  }
  const auto number = static_cast<std::uint32_t>(entries_.size());
  slots_[slot] = number;
  entries_.push_back({hash, frames_.size(), static_cast<std::uint32_t>(frames.size()), truncated});
  frames_.insert(frames_.end(), frames.begin(), frames.end());
  if (entries_.size() * 2 > slots_.size()) grow();
  return {number, true};
}

void StackTable::grow() {
  slots_.assign(slots_.size() * 2, kEmpty);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t number = 0; number < entries_.size(); ++number) {
    std::size_t slot = entries_[number].hash & mask;
    while (slots_[slot] != kEmpty) slot = (slot + 1) & mask;
    slots_[slot] = number;
  }
}

}  // namespace flametap::sampler
