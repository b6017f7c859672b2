#include "target/fake_memory.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace flametap::target {

void FakeMemory::map(Address from, std::size_t size) {
  unmap(from, size);
  if (size != 0) ranges_[from] = std::vector<std::byte>(size);
}

void FakeMemory::map(Address from, Bytes content) {
  map(from, content.size());
  write(from, content);
}

void FakeMemory::unmap(Address from, std::size_t size) {
  const std::uint64_t first = to_number(from);
  const std::uint64_t last = first + size;
  assert(last >= first);
  auto range = ranges_.upper_bound(from);
  if (range != ranges_.begin()) --range;
  while (range != ranges_.end() && to_number(range->first) < last) {
    const std::uint64_t begin = to_number(range->first);
    const std::uint64_t end = begin + range->second.size();
    if (end <= first) {
      ++range;
      continue;
    }
    std::vector<std::byte> content = std::move(range->second);
    range = ranges_.erase(range);
    if (end > last) {
      ranges_[Address{last}].assign(content.end() - static_cast<std::ptrdiff_t>(end - last), content.end());
    }
    if (begin < first) {
      content.resize(first - begin);
      ranges_[Address{begin}] = std::move(content);
    }
  }
}

bool FakeMemory::write(Address to, Bytes content) {
  if (!is_mapped(to, content.size())) return false;
  while (!content.empty()) {
    const std::span<std::byte> part = at(to, content.size());
    std::copy_n(content.begin(), part.size(), part.begin());
    content = content.subspan(part.size());
    to = to + part.size();
  }
  return true;
}

ReadResult FakeMemory::read(std::span<const Segment> segments) {
  return read_in_parts(segments, [this](std::span<const Segment> part) { return read_once(part); });
}

void FakeMemory::reset_counts() {
  calls_.clear();
  segments_read_ = 0;
}

std::span<std::byte> FakeMemory::at(Address from, std::size_t size) {
  auto range = ranges_.upper_bound(from);
  if (range == ranges_.begin()) return {};
  --range;
  const std::uint64_t offset = to_number(from) - to_number(range->first);
  if (offset >= range->second.size()) return {};
  return std::span(range->second).subspan(offset, std::min<std::uint64_t>(size, range->second.size() - offset));
}

bool FakeMemory::is_mapped(Address from, std::size_t size) {
  while (size != 0) {
    const std::size_t part = at(from, size).size();
    if (part == 0) return false;
    size -= part;
    from = from + part;
  }
  return true;
}

bool FakeMemory::copy(Address from, std::span<std::byte> to) {
  while (!to.empty()) {
    const std::span<const std::byte> part = at(from, to.size());
    if (part.empty()) return false;
    std::copy(part.begin(), part.end(), to.begin());
    to = to.subspan(part.size());
    from = from + part.size();
  }
  return true;
}

ReadResult FakeMemory::read_once(std::span<const Segment> segments) {
  Call call{{}, {ReadStatus::ok, 0}};
  for (const Segment& segment : segments) call.segments.push_back({segment.from, segment.to.size()});
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (hook_) hook_(call.segments[i], segments_read_);
    ++segments_read_;
    if (status_ != ReadStatus::ok) {
      call.result.status = status_;
      break;
    }
    if (!copy(segments[i].from, segments[i].to)) {
      call.result.status = ReadStatus::unmapped;
      break;
    }
    ++call.result.filled;
  }
  calls_.push_back(call);
  return call.result;
}

}  // namespace flametap::target
