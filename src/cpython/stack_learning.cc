// The slow half of StackReader: where the thread is now, and what the next reading should therefore fetch.
#include <algorithm>
#include <bit>
#include <cstring>

#include "cpython/stack_reader.h"

namespace flametap::cpython {
namespace {

using target::Address;
using target::ReadStatus;
using target::to_number;

constexpr std::uint64_t kGap = 2048;           // reading so much in vain is cheaper than one more stretch
constexpr std::uint64_t kRoomAboveTop = 1024;  // frames that may be pushed before the next reading
constexpr std::uint64_t kMaxChunk = std::uint64_t{1} << 24;
constexpr std::size_t kMaxChunks = 512;
constexpr std::uint64_t kMaxCoverage = std::uint64_t{1} << 23;
constexpr std::size_t kMaxCodes = 4096;
constexpr std::uint64_t kHotPart = 2048;  // below the innermost frame, read nearest to the instant
constexpr std::size_t kNearFrames = 8;    // likewise, where each frame is an object of its own

std::uint64_t number_at(Bytes bytes, Offset offset) { return load<std::uint64_t>(bytes, offset).value_or(0); }

}  // namespace

void StackReader::learn() {
  if (last_reading_ == Reading::unmapped) start_afresh();
  pages_.forget();
  learned_in_ = round_;
  if (raw_count_ == raw_.size() && raw_.size() < kMaxDepth) {
    raw_.resize(2 * raw_.size());
    frames_.resize(raw_.size());
    runs_.resize(raw_.size() + 1);
  }
  for (std::size_t i = 0; i < raw_count_; ++i) learn_code(raw_[i].code);
  near_.clear();

  std::vector<std::byte> thread(layout_.thread.size);
  if (pages_.read(thread_, thread) == ReadStatus::ok) {
    if (layout_.thread.stack_chunk != kAbsent) learn_chunks(thread);
    learn_chain(learn_innermost(thread));
  }
  learn_chain(stumbled_over_);
  forget_unused();
  plan();
}

void StackReader::start_afresh() {
  memory_has_holes_ = true;
  ranges_.clear();
  wanted_codes_.clear();
  cframes_ = {};
  frame_coverage_.clear();
}

// The frames of ordinary calls lie in a list of chunks that the thread owns, one after the other (3.11+).
void StackReader::learn_chunks(Bytes thread) {
  const auto chunk = Address{number_at(thread, layout_.thread.stack_chunk)};
  if (chunk == target::kNull) chunk_ = chunk_end_ = chunk_used_ = 0;  // it has not run anything yet
  const std::uint64_t top = number_at(thread, layout_.thread.stack_top);
  std::uint64_t size = 0;
  const std::uint64_t start = to_number(chunk);
  if (chunk == target::kNull || pages_.read_value(chunk + layout_.stack_chunk.size, size) != ReadStatus::ok) return;
  if (size > kMaxChunk || top < start || top > start + size) return;
  if (start != chunk_) chunk_used_ = 0;
  const std::uint64_t end = std::min(start + size, std::max(top, chunk_used_) + kRoomAboveTop);
  chunk_ = start;
  chunk_end_ = start + size;
  chunk_used_ = 0;
  std::erase_if(ranges_, [&](const Range& range) { return range.from == start; });
  want(chunk, end - start);
  learn_older_chunks(chunk);
}

void StackReader::learn_older_chunks(Address chunk) {
  for (std::size_t i = 0; i < kMaxChunks; ++i) {
    std::uint64_t previous = 0;
    std::uint64_t used_words = 0;
    if (pages_.read_value(chunk + layout_.stack_chunk.previous, previous) != ReadStatus::ok || previous == 0) return;
    chunk = Address{previous};
    if (pages_.read_value(chunk + layout_.stack_chunk.top, used_words) != ReadStatus::ok) return;
    if (used_words > kMaxChunk / 8) return;
    want(chunk, layout_.stack_chunk.data + used_words * 8);
  }
}

Address StackReader::learn_innermost(Bytes thread) {
  const auto link = Address{number_at(thread, layout_.thread.frame)};
  if (layout_.frame_link != FrameLink::cframe || link == target::kNull) return link;
  auto known = std::find(cframes_.begin(), cframes_.end(), link);
  if (known == cframes_.end()) known = cframes_.end() - 1;
  std::rotate(cframes_.begin(), known, known + 1);
  cframes_.front() = link;
  Address frame = target::kNull;
  if (pages_.read_value(link + layout_.cframe.current_frame, frame) != ReadStatus::ok) return target::kNull;
  return frame;
}

void StackReader::learn_chain(Address frame) {
  std::vector<std::byte> bytes(layout_.frame.size);
  for (std::size_t depth = 0; frame != target::kNull && depth < kMaxDepth; ++depth) {
    if (pages_.read(frame, bytes) != ReadStatus::ok) return;
    want(frame, layout_.frame.size);
    if (depth < kNearFrames) near_.push_back(frame);
    const bool is_shim = layout_.frame.owner != kAbsent &&
                         load<std::uint8_t>(bytes, layout_.frame.owner).value_or(0) >= layout_.first_shim_owner;
    if (!is_shim) learn_code(Address{number_at(bytes, layout_.frame.code) & ~layout_.code_tag_mask});
    frame = Address{number_at(bytes, layout_.frame.previous)};
  }
}

void StackReader::learn_code(Address address) {
  const auto same = [&](const WantedCode& wanted) { return wanted.address == address; };
  const KnownCode* known = codes_.find(address);
  const auto confirmed = [&](const Witness& witness) {
    std::vector<std::byte> read(witness.length);
    return pages_.read(witness.from, read) == ReadStatus::ok &&
           std::ranges::equal(Bytes(read), known->expected_of(witness));
  };
  // Loaded from the target itself, the object first and its texts after it: if a later reading finds the object's
  // version unchanged, it lived throughout. Pages could be from different moments.
  if (known == nullptr || !std::ranges::all_of(known->witnesses, confirmed)) known = codes_.load(memory_, address);
  const auto place = std::find_if(wanted_codes_.begin(), wanted_codes_.end(), same);
  if (known == nullptr) {
    if (place != wanted_codes_.end()) wanted_codes_.erase(place);
  } else if (place != wanted_codes_.end()) {
    place->used_in = round_;
  } else if (wanted_codes_.size() < kMaxCodes) {
    wanted_codes_.push_back({address, round_});
  }
}

void StackReader::want(Address from, std::uint64_t length) {
  const std::uint64_t start = to_number(from);
  for (Range& range : ranges_) {
    if (start >= range.from && start - range.from < range.length && length <= range.length - (start - range.from)) {
      range.used_in = round_;
      return;
    }
  }
  ranges_.push_back({start, length, round_});
}

void StackReader::forget_unused() {
  for (Range& range : ranges_) {
    range.used_in = std::max(range.used_in, frame_coverage_.marked(Address{range.from}));
  }
  for (WantedCode& code : wanted_codes_) {
    if (const PlannedCode* entry = planned(code.address)) code.used_in = std::max(code.used_in, entry->used_in);
  }
  const auto unused = [&](const auto& thing) { return round_ - thing.used_in >= kKeepRounds; };
  std::erase_if(ranges_, unused);
  std::erase_if(wanted_codes_, unused);
  std::uint64_t total = 0;
  std::erase_if(ranges_, [&](const Range& range) { return (total += range.length) > kMaxCoverage; });
}

void StackReader::plan() {
  plan_frames();
  plan_codes();
  plan_segments();
}

void StackReader::plan_frames() {
  frame_coverage_.clear();
  for (const Range& range : ranges_) frame_coverage_.add(Address{range.from}, range.length);
  frame_coverage_.build(memory_has_holes_ ? 0 : kGap);
  first_.resize(frame_coverage_.size());
  second_.resize(frame_coverage_.size());
  for (Look& look : looks_) look.frames.resize(frame_coverage_.size());
}

void StackReader::plan_codes() {
  witness_coverage_.clear();
  checks_.clear();
  expected_.clear();
  planned_.assign(std::bit_ceil(2 * wanted_codes_.size() + 2), {});
  for (const WantedCode& wanted : wanted_codes_) {
    const KnownCode* known = codes_.find(wanted.address);
    if (known == nullptr) continue;
    for (const Witness& witness : known->witnesses) witness_coverage_.add(witness.from, witness.length);
  }
  witness_coverage_.build(memory_has_holes_ ? 0 : kGap);
  witness_bytes_.resize(witness_coverage_.size());
  for (const WantedCode& wanted : wanted_codes_) {
    const KnownCode* known = codes_.find(wanted.address);
    if (known == nullptr) continue;
    PlannedCode entry{wanted.address,
                      known->id,
                      static_cast<std::uint32_t>(checks_.size()),
                      static_cast<std::uint32_t>(known->witnesses.size()),
                      0,
                      wanted.used_in};
    for (const Witness& witness : known->witnesses) {
      checks_.push_back({witness_coverage_.offset_of(witness.from, witness.length), witness.length,
                         static_cast<std::uint32_t>(expected_.size())});
      const Bytes bytes = known->expected_of(witness);
      expected_.insert(expected_.end(), bytes.begin(), bytes.end());
    }
    slot(wanted.address) = entry;
  }
}

void StackReader::plan_segments() {
  segments_.clear();
  instant_segments_.clear();
  const auto add = [&](std::vector<std::byte>& buffer, const std::vector<Coverage::Stretch>& stretches) {
    for (const Coverage::Stretch& stretch : stretches) {
      segments_.push_back({Address{stretch.from}, std::span(buffer).subspan(stretch.at, stretch.end - stretch.from)});
    }
  };
  const auto add_cframes = [&](CFrameWords& words) {
    for (std::size_t i = 0; i < cframes_.size(); ++i) {
      if (cframes_[i] == target::kNull) continue;
      segments_.push_back(
          {cframes_[i] + layout_.cframe.current_frame, std::as_writable_bytes(std::span{&words[i], 1})});
    }
  };
  std::vector<Coverage::Stretch> calm;
  std::vector<Coverage::Stretch> hot;
  split_by_heat(calm, hot);
  hot_.clear();
  for (const auto& stretch : hot) hot_.push_back({stretch.at, stretch.at + (stretch.end - stretch.from)});
  add(first_, calm);
  add(first_, hot);
  add_cframes(cframe_words_);
  segments_.push_back({thread_, thread_words_});
  segments_.insert(segments_.end(), read_along_.begin(), read_along_.end());
  const auto once = static_cast<std::ptrdiff_t>(segments_.size());
  add(second_, hot);
  add(second_, calm);
  const auto witnesses = static_cast<std::ptrdiff_t>(segments_.size());
  add(witness_bytes_, witness_coverage_.stretches());
  still_segments_ = segments_.size();
  instant_segments_.assign(segments_.begin(), segments_.begin() + once);
  instant_segments_.insert(instant_segments_.end(), segments_.begin() + witnesses, segments_.end());
  for (Look& look : looks_) {
    add_cframes(look.cframes);
    segments_.push_back({thread_ + layout_.thread.frame, std::as_writable_bytes(std::span{&look.link, 1})});
    add(look.frames, hot);
    if (&look == &looks_.front()) add(look.frames, calm);
  }
}

// Hot is the part where the innermost frame was last, and the frames near it: read last before the instant and first
// after it, and in every look.
void StackReader::split_by_heat(std::vector<Coverage::Stretch>& calm, std::vector<Coverage::Stretch>& hot) const {
  const auto holds = [](const Coverage::Stretch& stretch, std::uint64_t at) {
    return at >= stretch.from && at < stretch.end;
  };
  const std::uint64_t innermost = to_number(last_innermost_);
  for (const Coverage::Stretch& stretch : frame_coverage_.stretches()) {
    if (holds(stretch, innermost)) {
      Coverage::Stretch upper = stretch;
      upper.from = innermost - std::min(kHotPart, innermost - stretch.from);
      upper.at += upper.from - stretch.from;
      hot.push_back(upper);
      if (upper.from > stretch.from) calm.push_back({stretch.from, upper.from, stretch.at, 0});
    } else if (std::ranges::any_of(near_, [&](Address frame) { return holds(stretch, to_number(frame)); })) {
      hot.push_back(stretch);
    } else {
      calm.push_back(stretch);
    }
  }
}

void StackReader::read_along(std::span<const target::Segment> segments) {
  read_along_ = segments;
  plan_segments();
}

}  // namespace flametap::cpython
