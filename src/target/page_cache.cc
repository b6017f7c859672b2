#include "target/page_cache.h"

#include <algorithm>
#include <cstring>

namespace flametap::target {

ReadResult PageCache::read(std::span<const Segment> segments) {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const ReadStatus status = copy(segments[i].from, segments[i].to);
    if (status != ReadStatus::ok) return {status, i};
  }
  return {ReadStatus::ok, segments.size()};
}

ReadStatus PageCache::copy(Address from, std::span<std::byte> to) {
  std::uint64_t at = to_number(from);
  while (!to.empty()) {
    ReadStatus status = ReadStatus::ok;
    const Page* source = page(at / kPageSize, status);
    if (source == nullptr) return status;
    const std::size_t start = at % kPageSize;
    const std::size_t length = std::min<std::size_t>(to.size(), kPageSize - start);
    std::memcpy(to.data(), source->data() + start, length);
    to = to.subspan(length);
    at += length;
  }
  return ReadStatus::ok;
}

const PageCache::Page* PageCache::page(std::uint64_t number, ReadStatus& status) {
  if (const auto known = pages_.find(number); known != pages_.end()) return known->second.get();
  if (pages_.size() >= kMaxPages) pages_.clear();
  auto fresh = std::make_unique<Page>();
  status = memory_.read(Address{number * kPageSize}, *fresh);
  if (status != ReadStatus::ok) return nullptr;
  return pages_.emplace(number, std::move(fresh)).first->second.get();
}

}  // namespace flametap::target
