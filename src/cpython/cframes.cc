#include "cpython/cframes.h"

#include <algorithm>
#include <span>

namespace flametap::cpython {

using target::Address;

void CFrames::keep(Places& places, Address cframe) {
  auto known = std::ranges::find(places, cframe);
  if (known == places.end()) known = places.end() - 1;
  std::rotate(places.begin(), known, known + 1);
  places.front() = cframe;
}

void CFrames::learn(Address innermost, Address outer) {
  keep(innermost_, innermost);
  if (outer != target::kNull) keep(outer_, outer);
}

void CFrames::forget() {
  innermost_ = {};
  outer_ = {};
}

void CFrames::add_innermost(std::vector<target::Segment>& segments, Copies& copies) const {
  for (std::size_t i = 0; i < kKept; ++i) {
    if (innermost_[i] == target::kNull) continue;
    segments.push_back(
        {innermost_[i] + layout_.cframe.current_frame, std::as_writable_bytes(std::span{&copies[i], 1})});
  }
}

void CFrames::add_outer(std::vector<target::Segment>& segments) {
  for (std::size_t i = 0; i < kKept; ++i) {
    if (outer_[i] == target::kNull) continue;
    segments.push_back(
        {outer_[i] + layout_.cframe.current_frame, std::as_writable_bytes(std::span{&outer_frames_[i], 1}), true});
  }
}

// What was read of it; null if it is not among the places.
template <typename T>
const T* CFrames::read_at(const Places& places, const std::array<T, kKept>& values, Address cframe) {
  const auto place = std::ranges::find(places, cframe);
  if (cframe == target::kNull || place == places.end()) return nullptr;
  return &values[static_cast<std::size_t>(place - places.begin())];
}

const CFrames::Copy* CFrames::find(Address cframe, const Copies& copies) const {
  return read_at(innermost_, copies, cframe);
}

const Address* CFrames::find_outer_frame(Address cframe) const { return read_at(outer_, outer_frames_, cframe); }

}  // namespace flametap::cpython
