#include "cpython/stack_reader.h"

#include <algorithm>
#include <cstring>

namespace flametap::cpython {
namespace {

using target::Address;
using target::ReadStatus;
using target::to_number;

// An instruction's offset outside of this is not one.
constexpr std::int64_t kMaxInstructionOffset = 1 << 24;
constexpr std::int32_t kNoInstruction = -1'000'000;

constexpr std::size_t kFirstDepth = 64;  // room to begin with; learn() makes more

// frame.owner: the frame lies in the thread's stack of frames, or is a part of a generator.
constexpr std::uint8_t kOwnedByThread = 0;
constexpr std::uint8_t kOwnedByGenerator = 1;

constexpr std::int8_t kSuspended = -1;  // frame.state

template <typename T>
T word(const std::vector<std::byte>& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

// By which a code object that took another's place is told from that. Before 3.12 they have no numbers: all modules
// have code of the same name, and often one after the other at the same place.
void mark_codes(const Layout& layout, target::Trail& trail) {
  const auto add = [&](Offset mark) { trail.marks[trail.mark_count++] = mark; };
  if (layout.code.unique_version != kAbsent) return add(layout.code.unique_version);
  for (const Offset pointer : {layout.code.name, layout.code.filename, layout.code.line_table}) add(pointer);
}

std::optional<target::Trail> trail_of(const Layout& layout, Address thread) {
  if (layout.frame.size > target::Trail::kObjectSize || layout.code.size > target::Trail::kObjectSize) return {};
  target::Trail trail{.link = thread + layout.thread.frame,
                      .link_inside = {},
                      .next = layout.frame.previous,
                      .code = layout.frame.code,
                      .code_mask = ~layout.code_tag_mask,
                      .table = layout.code.line_table,
                      .table_length = layout.bytes.length,
                      .table_data = layout.bytes.data};
  mark_codes(layout, trail);
  if (layout.frame_link == FrameLink::cframe) trail.link_inside = layout.cframe.current_frame;
  if (layout.thread.stack_chunk != kAbsent) trail.home = thread + layout.thread.stack_chunk;
  for (const Offset text : {layout.code.name, layout.code.filename, layout.code.qualname}) {
    if (text != kAbsent) trail.texts[trail.text_count++] = text;
  }
  return trail;
}

}  // namespace

StackReader::StackReader(target::Memory& memory, const Layout& layout, CodeCache& codes, Address thread,
                         Options options)
    : memory_(memory),
      layout_(layout),
      codes_(codes),
      thread_(thread),
      options_(options),
      trail_(trail_of(layout, thread)),
      cframes_(layout),
      thread_words_(layout.thread.size),
      raw_(kFirstDepth),
      frames_(kFirstDepth),
      runs_(kFirstDepth + 1),
      shown_(kFirstDepth),
      pages_(memory) {
  late_codes_.reserve(Confirmation::kMaxCodes);
  plan();
}

Reading StackReader::read() { return read_from(memory_, std::span(segments_).first(still_segments_), Manner::still); }

Reading StackReader::read_running() { return read_from(memory_, segments_, Manner::running); }

Reading StackReader::read_instant(target::Memory& memory, target::Memory* followed) {
  return read_from(memory, instant_segments_, Manner::instant, followed);
}

Reading StackReader::read_from(target::Memory& memory, std::span<const target::Segment> segments, Manner manner,
                               target::Memory* followed) {
  ++round_;
  manner_ = manner;
  followed_ = followed;
  frame_count_ = 0;
  begin_walk();
  only_codes_are_late_ = false;
  if (manner_ != Manner::again) {
    late_frames_.clear();
    late_codes_.clear();
  }
  last_reading_ = read_once(memory, segments);
  return last_reading_;
}

Reading StackReader::read_once(target::Memory& memory, std::span<const target::Segment> segments) {
  const target::ReadResult result = memory.read(segments);
  missing_ = result.missing;
  if (result.status == ReadStatus::gone) return Reading::gone;
  if (result.status == ReadStatus::denied) return Reading::denied;
  if (result.status == ReadStatus::elsewhere) return Reading::elsewhere;
  if (result.status != ReadStatus::ok) return Reading::unmapped;
  if (layout_.thread.stack_chunk != kAbsent && !is_in_known_chunk()) return Reading::unknown;
  const std::optional<Address> found = innermost_frame();
  if (!found) return Reading::unknown;
  const Address innermost = *found;
  if (manner_ == Manner::running && !innermost_is_still(innermost)) return Reading::moved;
  if (innermost == target::kNull) return is_half_made() ? Reading::moved : Reading::no_frames;
  last_innermost_ = innermost;
  Chunk& chunk = chunks_.front();
  const std::uint64_t end = to_number(innermost) + layout_.frame.size;
  if (end > chunk.used && to_number(innermost) >= chunk.start && end <= chunk.end) chunk.used = end;
  const Reading walked = walk(innermost, nullptr);
  // Zeros in the place of frames that were joined with what is gone.
  if (walked == Reading::moved && missing_ > 0) return Reading::unmapped;
  return walked == Reading::verified ? resolve() : walked;
}

// Then that is the current one.
bool StackReader::is_in_known_chunk() {
  const auto known =
      std::ranges::find(chunks_, word<std::uint64_t>(thread_words_, layout_.thread.stack_chunk), &Chunk::start);
  if (known == chunks_.end()) return false;
  std::swap(*known, chunks_.front());
  return true;
}

bool StackReader::innermost_is_still(Address innermost) const {
  return std::ranges::all_of(looks_, [&](const Look& look) {
    if (layout_.frame_link != FrameLink::cframe || look.link == target::kNull) return look.link == innermost;
    const CFrames::Copy* const copy = cframes_.find(look.link, look.cframes);
    return copy != nullptr && copy->current_frame == innermost;
  });
}

// `followed`: frames that the guess does not cover may be there.
Reading StackReader::walk(Address innermost, target::Memory* followed) {
  // Every frame is compared with one that is met earlier, ever further apart, so that a cycle ends the walk (Brent).
  Address landmark = target::kNull;
  std::size_t next_landmark = 1;
  std::size_t steps = 0;
  std::size_t outermost = 0;
  for (Address frame = innermost; frame != target::kNull;) {
    if (raw_count_ == kMaxDepth || steps == 2 * kMaxDepth) {
      truncated_ = true;
      break;
    }
    if (raw_count_ == raw_.size()) {
      if (followed == nullptr) return Reading::unknown;
      make_room();
    }
    if (frame == landmark) return Reading::moved;
    if (++steps == next_landmark) {
      landmark = frame;
      next_landmark *= 2;
    }
    std::size_t at = frame_coverage_.offset_of(frame, layout_.frame.size);
    if (at != Coverage::kNowhere) {
      frame_coverage_.mark(round_);
    } else if ((at = find_late_frame(frame)) == Coverage::kNowhere) {
      if (followed != nullptr) at = take_late_frame(*followed, frame);
      if (at == Coverage::kNowhere) {
        stumbled_over_ = frame;
        return Reading::unknown;
      }
    }
    if (frame_moved(at, steps == 1)) return Reading::moved;
    const std::uint8_t owner =
        layout_.frame.owner == kAbsent ? kOwnedByThread : word<std::uint8_t>(first_, at + layout_.frame.owner);
    const auto previous = Address{word<std::uint64_t>(first_, at + layout_.frame.previous)};
    if (layout_.frame.owner == kAbsent || owner < layout_.first_shim_owner) {
      if (beyond_stack_top(frame, owner)) return Reading::moved;
      const auto code = Address{word<std::uint64_t>(first_, at + layout_.frame.code) & ~layout_.code_tag_mask};
      const std::int32_t offset = instruction_offset(at, code);
      if (offset == kNoInstruction) return Reading::moved;
      raw_[raw_count_++] = {code, offset};
      if (ends_run(at)) {
        if (run_count_ == 0) entry_is_generator_ = owner == kOwnedByGenerator;
        if (!end_run(target::kNull, previous)) return Reading::moved;
      }
    } else if (!end_run(frame, previous)) {
      return Reading::moved;
    }
    outermost = at;
    frame = previous;
  }
  if (!truncated_ && layout_.frame.state != kAbsent &&
      word<std::int8_t>(first_, outermost + layout_.frame.state) == kSuspended)
    return Reading::moved;
  if (const Reading entry = look_at_entry(); entry != Reading::verified) return entry;
  return raw_count_ == 0 ? Reading::no_frames : Reading::verified;
}

// Where it is in the buffers.
std::size_t StackReader::find_late_frame(Address frame) const {
  const auto late = std::ranges::find(late_frames_, frame);
  if (late == late_frames_.end()) return Coverage::kNowhere;
  return frame_coverage_.size() + static_cast<std::size_t>(late - late_frames_.begin()) * layout_.frame.size;
}

// Whether the C function that runs this frame was called for it. Where there are shims, they tell.
bool StackReader::ends_run(std::size_t at) const {
  if (layout_.frame.is_entry != kAbsent) return word<std::uint8_t>(first_, at + layout_.frame.is_entry) != 0;
  return layout_.frame.owner == kAbsent;
}

bool StackReader::end_run(Address anchor, Address caller) {
  if (run_count_ == runs_.size()) return false;
  if (run_count_ == 0) entered_from_ = caller;
  runs_[run_count_++] = {static_cast<std::uint32_t>(raw_count_), anchor};
  return true;
}

bool StackReader::frame_moved(std::size_t at, bool innermost) const {
  if (manner_ == Manner::instant) return false;
  const std::size_t looks = manner_ != Manner::running ? 0 : looked_at_each_time(at) ? kLooks : 1;
  const auto differs = [&]<typename Word>(Word, Offset offset) {
    const Word reference = word<Word>(second_, at + offset);
    if (word<Word>(first_, at + offset) != reference) return true;
    for (std::size_t i = 0; i < looks; ++i) {
      if (word<Word>(looks_[i].frames, at + offset) != reference) return true;
    }
    return false;
  };
  if (differs(std::uint64_t{}, layout_.frame.previous) || differs(std::uint64_t{}, layout_.frame.code)) return true;
  if (layout_.frame.owner != kAbsent && differs(std::uint8_t{}, layout_.frame.owner)) return true;
  if (innermost) return false;
  return layout_.instruction_kind == InstructionKind::unit_pointer
             ? differs(std::uint64_t{}, layout_.frame.instruction)
             : differs(std::uint32_t{}, layout_.frame.instruction);
}

bool StackReader::looked_at_each_time(std::size_t at) const {
  return std::ranges::any_of(hot_, [&](Span span) { return at >= span.from && at + layout_.frame.size <= span.end; });
}

// What lies above the top of the thread's stack of frames has been popped; a frame is popped there a moment before
// current_frame leaves it (3.11), and a _PyCFrame is in place a moment before its current_frame is set (3.11, 3.12).
bool StackReader::beyond_stack_top(Address frame, std::uint8_t owner) const {
  if (layout_.thread.stack_top == kAbsent || owner != kOwnedByThread) return false;
  const std::uint64_t from = to_number(frame);
  if (from < chunks_.front().start || from >= chunks_.front().end) return false;
  return from + layout_.frame.size > word<std::uint64_t>(thread_words_, layout_.thread.stack_top);
}

// The second reading is nearer to the instant of the sample for the innermost frame, and the same for all others.
std::int32_t StackReader::instruction_offset(std::size_t at, Address code) const {
  const std::vector<std::byte>& frames = last_reading_of_frames();
  std::int64_t offset = 0;
  switch (layout_.instruction_kind) {
    case InstructionKind::byte_index:
      offset = word<std::int32_t>(frames, at + layout_.frame.instruction);
      break;
    case InstructionKind::unit_index:
      offset = std::int64_t{2} * word<std::int32_t>(frames, at + layout_.frame.instruction);
      break;
    case InstructionKind::unit_pointer: {
      const Address start = code + layout_.code.instructions;
      offset =
          static_cast<std::int64_t>(word<std::uint64_t>(frames, at + layout_.frame.instruction) - to_number(start));
      break;
    }
  }
  if (offset < -2 || offset > kMaxInstructionOffset) return kNoInstruction;
  return static_cast<std::int32_t>(offset);
}

// Turns addresses into codes, each confirmed by its witnesses, and instructions into lines.
Reading StackReader::resolve() {
  late_codes_.clear();
  for (std::size_t i = 0; i < raw_count_; ++i) {
    PlannedCode* code = planned(raw_[i].code);
    if (code != nullptr && confirm(*code)) {
      ShownFrame& last = shown_[raw_count_ - 1 - i];
      if (last.raw != raw_[i] || last.shown.code != code->id) last = {raw_[i], show(code->id, raw_[i].offset)};
      frames_[i] = last.shown;
    } else if (std::ranges::find(late_codes_, raw_[i].code) == late_codes_.end()) {
      if (code != nullptr && manner_ != Manner::again) codes_.forget(code->address);
      if (late_codes_.size() == Confirmation::kMaxCodes) return Reading::unknown;
      late_codes_.push_back(raw_[i].code);
    }
  }
  if (!late_codes_.empty() && !resolve_late()) {
    only_codes_are_late_ = true;
    return Reading::unknown;
  }
  return finish_frames();
}

// Leaves out those of silent code.
Reading StackReader::finish_frames() {
  if (is_cut_off()) return Reading::moved;
  frame_count_ = raw_count_;
  const auto raw = std::span(raw_).first(raw_count_);
  if (silent_code_ == target::kNull || std::ranges::find(raw, silent_code_, &RawFrame::code) == raw.end())
    return Reading::verified;
  std::uint32_t kept = 0;
  std::size_t run = 0;
  for (std::size_t i = 0; i <= raw_count_; ++i) {
    while (run < run_count_ && runs_[run].end == i) runs_[run++].end = kept;
    if (i < raw_count_ && raw_[i].code != silent_code_) frames_[kept++] = frames_[i];
  }
  frame_count_ = kept;
  return Reading::verified;
}

CodeFrame StackReader::show(CodeId code, std::int32_t offset) const {
  return {code, options_.lines ? codes_[code].lines.line_at(offset).value_or(0) : 0};
}

// What was known before the instant of the sample and is the same after it was the same all the time, if it cannot come
// back after it was gone.
bool StackReader::resolve_late() {
  ++late_readings_;
  if (manner_ != Manner::again) {
    const auto comes_once = [&](Address address) {
      const KnownCode* const known = codes_.find(address);
      return known != nullptr && known->version != 0;
    };
    if (!std::ranges::all_of(late_codes_, comes_once) || !ask_for_late_codes()) return false;
    if (memory_.read(confirmation_.segments()).status != ReadStatus::ok) return false;
  }
  if (!confirm_late_codes()) return false;
  show_late_codes();
  return true;
}

void StackReader::show_late_codes() {
  for (std::size_t i = 0; i < raw_count_; ++i) {
    if (std::ranges::find(late_codes_, raw_[i].code) == late_codes_.end()) continue;
    const KnownCode& code = *codes_.find(raw_[i].code);
    frames_[i] = show(code.id, raw_[i].offset);
    if ((code.flags & kSilentCode) != 0) silent_code_ = raw_[i].code;
  }
}

// False: there are too many. Of those that we do not know nothing is asked.
bool StackReader::ask_for_late_codes() {
  confirmation_.clear();
  return std::ranges::all_of(late_codes_, [&](Address address) {
    const KnownCode* const known = codes_.find(address);
    return known == nullptr || confirmation_.ask(address, *known);
  });
}

// What is not confirmed is forgotten, all of it at once.
bool StackReader::confirm_late_codes() {
  bool all = true;
  for (const Address address : late_codes_) {
    const KnownCode* const known = codes_.find(address);
    if (known == nullptr || !confirmation_.confirmed(address, *known)) {
      codes_.forget(address);
      all = false;
    } else if (const auto wanted = wanted_codes_.find(address); wanted != wanted_codes_.end()) {
      wanted->second = round_;
    }
  }
  return all;
}

// Where the code is planned, or the free slot where it would be.
StackReader::PlannedCode& StackReader::slot(Address code) {
  const std::size_t mask = planned_.size() - 1;
  std::size_t index = (to_number(code) >> 4) * 0x9E3779B97F4A7C15u >> 32 & mask;
  while (planned_[index].address != code && planned_[index].address != target::kNull) index = (index + 1) & mask;
  return planned_[index];
}

StackReader::PlannedCode* StackReader::planned(Address code) {
  PlannedCode& entry = slot(code);
  return entry.address == target::kNull ? nullptr : &entry;
}

bool StackReader::confirm(PlannedCode& code) {
  code.used_in = round_;
  if (code.confirmed_in == round_) return true;
  for (std::uint32_t i = 0; i < code.check_count; ++i) {
    const Check& check = checks_[code.first_check + i];
    if (std::memcmp(witness_bytes_.data() + check.at, expected_.data() + check.expected, check.length) != 0)
      return false;
  }
  code.confirmed_in = round_;
  return true;
}

}  // namespace flametap::cpython
