// The middle of StackReader: what a reading met outside of its plan, found out without a new plan.
#include <algorithm>
#include <cstring>

#include "cpython/stack_reader.h"

namespace flametap::cpython {
namespace {

using target::Address;
using target::ReadStatus;

}  // namespace

Reading StackReader::complete() {
  if (last_reading_ == Reading::unknown && followed_ != nullptr) last_reading_ = complete_from(*followed_);
  return last_reading_;
}

Reading StackReader::complete_from(target::Memory& followed) {
  ++late_readings_;
  if (!only_codes_are_late_) {
    const Reading reading = walk_again(followed);
    if (reading != Reading::unknown || !only_codes_are_late_) return reading;
  }
  if (!take_late_codes(followed) || !knows_late_codes()) return Reading::unknown;
  show_late_codes();
  return finish_frames();
}

// With the frames that the guess did not cover.
Reading StackReader::walk_again(target::Memory& followed) {
  if (layout_.thread.stack_chunk != kAbsent && !is_in_known_chunk() && !take_chunk(followed)) return Reading::unknown;
  const std::optional<Address> innermost = innermost_frame();
  if (!innermost || *innermost == target::kNull) return Reading::unknown;
  begin_walk();
  const Reading walked = walk(*innermost, &followed);
  return walked == Reading::verified ? resolve() : walked;
}

// The one that the thread has just begun to use.
bool StackReader::take_chunk(target::Memory& followed) {
  const std::uint64_t start = number_at(thread_words_, layout_.thread.stack_chunk);
  std::uint64_t size = 0;
  if (followed.read_value(Address{start} + layout_.stack_chunk.size, size) != ReadStatus::ok) return false;
  if (size > kMaxChunk) return false;
  std::rotate(chunks_.begin(), chunks_.end() - 1, chunks_.end());
  chunks_.front() = {start, start + size, 0};
  return true;
}

// Where it is in the buffers then.
std::size_t StackReader::take_late_frame(target::Memory& followed, Address frame) {
  if (late_frames_.size() == kMaxLateFrames) return Coverage::kNowhere;
  const std::size_t at = frame_coverage_.size() + late_frames_.size() * layout_.frame.size;
  const std::span<std::byte> room = std::span(first_).subspan(at, layout_.frame.size);
  if (followed.read(frame, room) != ReadStatus::ok) return Coverage::kNowhere;
  late_frames_.push_back(frame);
  want(frame, layout_.frame.size);
  return at;
}

// What is loaded from the target as it is now could be of another one: a code object that was freed keeps its number
// for a while, when its texts are gone already.
bool StackReader::take_late_codes(target::Memory& followed) {
  return std::ranges::all_of(late_codes_, [&](Address address) {
    codes_.learn_type(memory_, address);
    if (!was_known(followed, address) && codes_.load(followed, address) == nullptr) return false;
    wanted_codes_[address] = round_;
    need_no_texts_of(address);
    return true;
  });
}

// Until the next plan has it. Before there were numbers, only the texts tell whether it is still the same.
void StackReader::need_no_texts_of(Address address) {
  const KnownCode* const known = codes_.find(address);
  if (!trail_ || known == nullptr || known->version == 0 || planned(address) != nullptr) return;
  const auto place = std::ranges::find(known_codes_, address, &target::Trail::Known::code);
  if (place != known_codes_.end()) {
    *place = as_the_trail_wants_it(*known, address);
    return;
  }
  known_codes_.push_back(as_the_trail_wants_it(*known, address));
  trail_->known = known_codes_;
}

// A hostile target can have more code objects than we remember: then one that is loaded makes us forget the others.
bool StackReader::knows_late_codes() const {
  return std::ranges::all_of(late_codes_, [&](Address code) { return codes_.find(code) != nullptr; });
}

// Whether what we know of it was true at that instant.
bool StackReader::was_known(target::Memory& followed, Address address) const {
  const KnownCode* const known = codes_.find(address);
  return known != nullptr && std::ranges::all_of(known->witnesses, [&](const Witness& witness) {
           std::vector<std::byte> read(witness.length);
           return followed.read(witness.from, read) == ReadStatus::ok &&
                  std::ranges::equal(Bytes(read), known->expected_of(witness));
         });
}

Reading StackReader::learn_and_read() {
  if (last_reading_ == Reading::unknown) {
    const bool found = stumbled_over_ != target::kNull ? find_late_frames() : only_codes_are_late_;
    load_late_codes();
    if (found && knows_late_codes() && ask_for_late_codes()) return read_with_late_ones();
  }
  learn();
  return read();
}

// From where the last reading stumbled, the whole rest of the stack, with what it runs. False: that is too much.
bool StackReader::find_late_frames() {
  std::vector<std::byte> bytes(layout_.frame.size);
  Address frame = stumbled_over_;
  for (std::size_t depth = 0; frame != target::kNull && depth < kMaxDepth; ++depth) {
    std::size_t at = frame_coverage_.offset_of(frame, layout_.frame.size);
    if (at == Coverage::kNowhere) at = find_late_frame(frame);
    if (at != Coverage::kNowhere) {
      std::memcpy(bytes.data(), last_reading_of_frames().data() + at, bytes.size());
    } else {
      if (late_frames_.size() == kMaxLateFrames || memory_.read(frame, bytes) != ReadStatus::ok) return false;
      late_frames_.push_back(frame);
      want(frame, layout_.frame.size);
    }
    const auto code = Address{number_at(bytes, layout_.frame.code) & ~layout_.code_tag_mask};
    const bool is_new = planned(code) == nullptr && std::ranges::find(late_codes_, code) == late_codes_.end();
    if (is_new && !is_shim(bytes)) {
      if (late_codes_.size() == Confirmation::kMaxCodes) return false;
      late_codes_.push_back(code);
    }
    frame = Address{number_at(bytes, layout_.frame.previous)};
  }
  return true;
}

bool StackReader::is_shim(Bytes frame) const {
  return layout_.frame.owner != kAbsent &&
         load<std::uint8_t>(frame, layout_.frame.owner).value_or(0) >= layout_.first_shim_owner;
}

void StackReader::load_late_codes() {
  for (const Address address : late_codes_) {
    if (codes_.find(address) != nullptr || codes_.load(memory_, address) != nullptr) wanted_codes_[address] = round_;
  }
}

// In one call, and in the same order as always: frames before and after the instant, then witnesses.
Reading StackReader::read_with_late_ones() {
  segments_with_late_.clear();
  const auto add_late_frames = [&](std::vector<std::byte>& buffer) {
    std::span<std::byte> room = std::span(buffer).subspan(frame_coverage_.size());
    for (const Address frame : late_frames_) {
      segments_with_late_.push_back({frame, room.first(layout_.frame.size), true});
      room = room.subspan(layout_.frame.size);
    }
  };
  const auto add_all = [&](std::span<const target::Segment> segments) {
    segments_with_late_.insert(segments_with_late_.end(), segments.begin(), segments.end());
  };
  add_late_frames(first_);
  add_all(std::span(segments_).first(still_segments_));
  add_late_frames(second_);
  add_all(confirmation_.segments());
  return read_from(memory_, segments_with_late_, Manner::again);
}

}  // namespace flametap::cpython
