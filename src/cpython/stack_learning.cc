// The slow half of StackReader: where the thread is now, and what the next reading should therefore fetch.
#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

#include "cpython/stack_reader.h"

namespace flametap::cpython {
namespace {

using target::Address;
using target::ReadStatus;
using target::to_number;

constexpr std::uint64_t kGap = 2048;           // reading so much in vain is cheaper than one more stretch
constexpr std::uint64_t kRoomAboveTop = 1024;  // frames that may be pushed before the next reading
constexpr std::size_t kMaxChunks = 512;
constexpr std::uint64_t kMaxCoverage = std::uint64_t{1} << 23;
constexpr std::uint64_t kHotPart = 2048;  // below the innermost frame, read nearest to the instant
constexpr std::size_t kNearFrames = 8;    // likewise, where each frame is an object of its own
// All that was met lately is read each time, if it is no more than this. Otherwise something else is met most of the
// time anyway: then as little as possible is read, the stack that we are at and the last few besides.
constexpr std::size_t kMostFrames = 256;  // stretches of them
constexpr std::size_t kMostCodes = 128;
constexpr std::size_t kMostBytes = 1 << 16;
constexpr std::size_t kFew = 16;

bool is_too_much(const Coverage& coverage, std::size_t most_stretches) {
  return coverage.stretches().size() > most_stretches || coverage.size() > kMostBytes;
}

// The round from which on there are only few.
std::uint32_t start_of_the_last(std::vector<std::uint32_t>& rounds) {
  if (rounds.size() <= kFew) return 0;
  const auto last = rounds.begin() + kFew - 1;
  std::ranges::nth_element(rounds, last, std::greater{});
  return *last;
}

}  // namespace

void StackReader::learn() {
  // What is missing may have taken with it what lies beside it.
  if (last_reading_ == Reading::unmapped || missing_ > 0) start_afresh();
  pages_.forget();
  learned_in_ = round_;
  late_limit_ = late_readings_ >= late_limit_ ? std::min(2 * late_limit_, kKeepRounds) : kManyLate;
  late_readings_ = 0;
  if (raw_count_ == raw_.size()) make_room();
  if (last_reading_ == Reading::unknown && only_codes_are_late_) load_late_codes();
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

// For a deeper stack.
void StackReader::make_room() {
  raw_.resize(std::min(2 * raw_.size(), kMaxDepth));
  frames_.resize(raw_.size());
  runs_.resize(raw_.size() + 1);
  shown_.resize(raw_.size());
}

void StackReader::start_afresh() {
  missing_ = 0;
  memory_has_holes_ = true;
  ranges_.clear();
  wanted_codes_.clear();
  cframes_.forget();
  frame_coverage_.clear();
}

// The frames of ordinary calls lie in a list of chunks that the thread owns, one after the other (3.11+).
void StackReader::learn_chunks(Bytes thread) {
  const auto chunk = Address{number_at(thread, layout_.thread.stack_chunk)};
  if (chunk == target::kNull) chunks_.fill({});  // it has not run anything yet
  const std::uint64_t top = number_at(thread, layout_.thread.stack_top);
  std::uint64_t size = 0;
  const std::uint64_t start = to_number(chunk);
  if (chunk == target::kNull || pages_.read_value(chunk + layout_.stack_chunk.size, size) != ReadStatus::ok) return;
  if (size > kMaxChunk || top < start || top > start + size) return;
  auto known = std::ranges::find(chunks_, start, &Chunk::start);
  if (known == chunks_.end()) {
    known = chunks_.end() - 1;
    *known = {};
  }
  const std::uint64_t end = std::min(start + size, std::max(top, known->used) + kRoomAboveTop);
  std::rotate(chunks_.begin(), known, known + 1);
  chunks_.front() = {start, start + size, 0};
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
  CFrames::Copy copy;
  if (pages_.read_value(link + layout_.cframe.current_frame, copy) != ReadStatus::ok) copy = {};
  // One that is not set up yet may say anything.
  const bool is_outer = copy.previous > link || is_root_cframe(copy.previous);
  cframes_.learn(link, is_outer ? copy.previous : target::kNull);
  return copy.current_frame;
}

void StackReader::learn_chain(Address frame) {
  std::vector<std::byte> bytes(layout_.frame.size);
  for (std::size_t depth = 0; frame != target::kNull && depth < kMaxDepth; ++depth) {
    if (pages_.read(frame, bytes) != ReadStatus::ok) return;
    want(frame, layout_.frame.size);
    if (depth < kNearFrames) near_.push_back(frame);
    if (!is_shim(bytes)) learn_code(Address{number_at(bytes, layout_.frame.code) & ~layout_.code_tag_mask});
    frame = Address{number_at(bytes, layout_.frame.previous)};
  }
}

// What is known of it is believed for now: the next reading confirms it or not. Loaded from the target itself, the
// object first and its texts after it: if a later reading finds the object's version unchanged, it lived throughout.
// Pages could be from different moments.
void StackReader::learn_code(Address address) {
  const auto wanted = wanted_codes_.find(address);
  if (wanted != wanted_codes_.end() && wanted->second == round_) return;
  if (codes_.find(address) != nullptr || codes_.load(memory_, address) != nullptr) {
    wanted_codes_[address] = round_;
  } else if (wanted != wanted_codes_.end()) {
    wanted_codes_.erase(wanted);
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
  for (auto& [address, used_in] : wanted_codes_) {
    if (const PlannedCode* entry = planned(address)) used_in = std::max(used_in, entry->used_in);
  }
  std::erase_if(ranges_, [&](const Range& range) { return round_ - range.used_in >= kKeepRounds; });
  std::erase_if(wanted_codes_, [&](const auto& code) { return round_ - code.second >= kKeepRounds; });
  std::uint64_t total = 0;
  std::erase_if(ranges_, [&](const Range& range) { return (total += range.length) > kMaxCoverage; });
}

void StackReader::plan() {
  plan_frames();
  plan_codes();
  plan_segments();
}

void StackReader::plan_frames() {
  cover_frames(0);
  if (is_too_much(frame_coverage_, kMostFrames)) {
    std::vector<std::uint32_t> rounds;
    for (const Range& range : ranges_) rounds.push_back(range.used_in);
    cover_frames(start_of_the_last(rounds));
  }
  const std::size_t with_late = frame_coverage_.size() + kMaxLateFrames * layout_.frame.size;
  first_.resize(with_late);
  second_.resize(with_late);
  for (Look& look : looks_) look.frames.resize(frame_coverage_.size());
}

void StackReader::cover_frames(std::uint32_t oldest) {
  frame_coverage_.clear();
  for (const Range& range : ranges_) {
    if (range.used_in >= oldest) frame_coverage_.add(Address{range.from}, range.length);
  }
  frame_coverage_.build(memory_has_holes_ ? 0 : kGap);
}

void StackReader::plan_codes() {
  std::uint32_t oldest = 0;
  cover_witnesses(oldest);
  if (is_too_much(witness_coverage_, kMostCodes)) {
    std::vector<std::uint32_t> rounds;
    for (const auto& [address, used_in] : wanted_codes_) rounds.push_back(used_in);
    oldest = start_of_the_last(rounds);
    cover_witnesses(oldest);
  }
  witness_bytes_.resize(witness_coverage_.size());
  checks_.clear();
  expected_.clear();
  known_codes_.clear();
  planned_.assign(std::bit_ceil(2 * wanted_codes_.size() + 2), {});
  for (const auto& [address, used_in] : wanted_codes_) {
    const KnownCode* const known = codes_.find(address);
    if (known == nullptr || used_in < oldest) continue;
    const PlannedCode entry{.address = address,
                            .id = known->id,
                            .first_check = static_cast<std::uint32_t>(checks_.size()),
                            .check_count = static_cast<std::uint32_t>(known->witnesses.size()),
                            .used_in = used_in};
    if ((known->flags & kSilentCode) != 0) silent_code_ = address;
    const auto start = static_cast<std::uint32_t>(expected_.size());
    expected_.insert(expected_.end(), known->expected.begin(), known->expected.end());
    for (const Witness& witness : known->witnesses) {
      checks_.push_back(
          {witness_coverage_.offset_of(witness.from, witness.length), witness.length, start + witness.expected});
    }
    slot(address) = entry;
    if (trail_) known_codes_.push_back(as_the_trail_wants_it(*known, address));
  }
  if (trail_) trail_->known = known_codes_;
}

target::Trail::Known StackReader::as_the_trail_wants_it(const KnownCode& known, Address address) const {
  target::Trail::Known code{address, {}};
  for (std::size_t i = 0; i < trail_->mark_count; ++i) code.marks[i] = known.number_at(address + trail_->marks[i]);
  return code;
}

void StackReader::cover_witnesses(std::uint32_t oldest) {
  witness_coverage_.clear();
  for (const auto& [address, used_in] : wanted_codes_) {
    const KnownCode* const known = codes_.find(address);
    if (known == nullptr || used_in < oldest) continue;
    for (const Witness& witness : known->witnesses) witness_coverage_.add(witness.from, witness.length);
  }
  witness_coverage_.build(memory_has_holes_ ? 0 : kGap);
}

void StackReader::plan_segments() {
  segments_.clear();
  instant_segments_.clear();
  const auto add = [&](std::vector<std::byte>& buffer, const std::vector<Coverage::Stretch>& stretches) {
    for (const Coverage::Stretch& stretch : stretches) {
      segments_.push_back(
          {Address{stretch.from}, std::span(buffer).subspan(stretch.at, stretch.end - stretch.from), true});
    }
  };
  std::vector<Coverage::Stretch> calm;
  std::vector<Coverage::Stretch> hot;
  split_by_heat(calm, hot);
  hot_.clear();
  for (const auto& stretch : hot) hot_.push_back({stretch.at, stretch.at + (stretch.end - stretch.from)});
  add(first_, calm);
  add(first_, hot);
  cframes_.add_outer(segments_);
  cframes_.add_innermost(segments_, cframe_copies_);
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
    cframes_.add_innermost(segments_, look.cframes);
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
