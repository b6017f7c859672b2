#include "target/process_memory.h"

#include <algorithm>
#include <cerrno>

namespace flametap::target {
namespace {

ReadStatus status_of(int error_number) {
  switch (error_number) {
    case ESRCH:
      return ReadStatus::gone;
    case EPERM:
      return ReadStatus::denied;
    default:
      return ReadStatus::unmapped;
  }
}

// How many segments lie whole within the first `bytes` bytes. The kernel stops inside a segment at a page's edge.
std::size_t count_filled(std::span<const Segment> segments, std::size_t bytes) {
  std::size_t filled = 0;
  while (filled < segments.size() && segments[filled].to.size() <= bytes) {
    bytes -= segments[filled].to.size();
    ++filled;
  }
  return filled;
}

}  // namespace

ReadResult ProcessMemory::read(std::span<const Segment> segments) {
  return read_in_parts(segments, [this](std::span<const Segment> part) { return read_once(part); });
}

ReadResult ProcessMemory::read_once(std::span<const Segment> segments) {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    local_[i] = {segment.to.data(), segment.to.size()};
    // The kernel wants the target's address as a pointer; it is never one of ours.
    remote_[i] = {reinterpret_cast<void*>(to_number(segment.from)), segment.to.size()};
  }
  const ssize_t bytes = process_vm_readv(pid_, local_.data(), segments.size(), remote_.data(), segments.size(), 0);
  if (bytes < 0) return {status_of(errno), 0};
  const std::size_t filled = count_filled(segments, static_cast<std::size_t>(bytes));
  return {filled == segments.size() ? ReadStatus::ok : ReadStatus::unmapped, filled};
}

}  // namespace flametap::target
