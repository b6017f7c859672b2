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

constexpr std::uint64_t kLargestThreadState = 4096;  // it has some hundred bytes

constexpr std::uint8_t kOwnedByThread = 0;  // frame.owner: the frame lies in the thread's stack of frames

template <typename T>
T word(const std::vector<std::byte>& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

}  // namespace

StackReader::StackReader(target::Memory& memory, const Layout& layout, CodeCache& codes, Address thread,
                         Options options)
    : memory_(memory),
      layout_(layout),
      codes_(codes),
      thread_(thread),
      options_(options),
      thread_words_(layout.thread.size),
      raw_(kFirstDepth),
      frames_(kFirstDepth),
      runs_(kFirstDepth + 1),
      pages_(memory) {
  plan();
}

Reading StackReader::read_from(target::Memory& memory, std::span<const target::Segment> segments) {
  ++round_;
  instant_ = segments.data() == instant_segments_.data();
  running_ = !instant_ && segments.size() > still_segments_;
  raw_count_ = 0;
  frame_count_ = 0;
  run_count_ = 0;
  truncated_ = false;
  stumbled_over_ = target::kNull;
  last_reading_ = read_once(memory, segments);
  return last_reading_;
}

Reading StackReader::read_once(target::Memory& memory, std::span<const target::Segment> segments) {
  const target::ReadResult result = memory.read(segments);
  if (result.status == ReadStatus::gone) return Reading::gone;
  if (result.status == ReadStatus::denied) return Reading::denied;
  if (result.status == ReadStatus::elsewhere) return Reading::elsewhere;
  if (result.status != ReadStatus::ok) return Reading::unmapped;
  bool known =
      layout_.thread.stack_chunk == kAbsent || word<std::uint64_t>(thread_words_, layout_.thread.stack_chunk) == chunk_;
  const Address innermost =
      innermost_frame(Address{word<std::uint64_t>(thread_words_, layout_.thread.frame)}, cframe_words_, known);
  if (!known) return Reading::unknown;
  if (running_ && !innermost_is_still(innermost)) return Reading::moved;
  if (innermost == target::kNull) return is_half_made() ? Reading::moved : Reading::no_frames;
  last_innermost_ = innermost;
  const std::uint64_t end = to_number(innermost) + layout_.frame.size;
  if (end > chunk_used_ && to_number(innermost) >= chunk_ && end <= chunk_end_) chunk_used_ = end;
  const Reading walked = walk(innermost);
  return walked == Reading::verified ? resolve() : walked;
}

// `known` turns false if we did not read where it is written.
Address StackReader::innermost_frame(Address link, const CFrameWords& words, bool& known) const {
  if (layout_.frame_link != FrameLink::cframe) return link;
  if (link == target::kNull) return link;
  for (std::size_t i = 0; i < cframes_.size(); ++i) {
    if (cframes_[i] == link) return Address{words[i]};
  }
  known = false;
  return target::kNull;
}

// A function that evaluates Python code links its _PyCFrame a moment before it says what it runs (3.11, 3.12). Only the
// one that is part of the thread's own state may run nothing.
bool StackReader::is_half_made() const {
  if (layout_.frame_link != FrameLink::cframe) return false;
  const std::uint64_t link = word<std::uint64_t>(thread_words_, layout_.thread.frame);
  return link != 0 && link - to_number(thread_) >= kLargestThreadState;
}

bool StackReader::innermost_is_still(Address innermost) const {
  return std::ranges::all_of(looks_, [&](const Look& look) {
    bool known = true;
    return innermost_frame(look.link, look.cframes, known) == innermost && known;
  });
}

Reading StackReader::walk(Address innermost) {
  // Every frame is compared with one that is met earlier, ever further apart, so that a cycle ends the walk (Brent).
  Address landmark = target::kNull;
  std::size_t next_landmark = 1;
  std::size_t steps = 0;
  for (Address frame = innermost; frame != target::kNull;) {
    if (raw_count_ == kMaxDepth || steps == 2 * kMaxDepth) {
      truncated_ = true;
      break;
    }
    if (raw_count_ == raw_.size()) return Reading::unknown;
    if (frame == landmark) return Reading::moved;
    if (++steps == next_landmark) {
      landmark = frame;
      next_landmark *= 2;
    }
    const std::size_t at = frame_coverage_.offset_of(frame, layout_.frame.size);
    if (at == Coverage::kNowhere) {
      stumbled_over_ = frame;
      return Reading::unknown;
    }
    frame_coverage_.mark(round_);
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
      if (ends_run(at) && !end_run(target::kNull)) return Reading::moved;
    } else if (!end_run(frame)) {
      return Reading::moved;
    }
    frame = previous;
  }
  return raw_count_ == 0 ? Reading::no_frames : Reading::verified;
}

// Whether the C function that runs this frame was called for it. Where there are shims, they tell.
bool StackReader::ends_run(std::size_t at) const {
  if (layout_.frame.is_entry != kAbsent) return word<std::uint8_t>(first_, at + layout_.frame.is_entry) != 0;
  return layout_.frame.owner == kAbsent;
}

bool StackReader::end_run(Address anchor) {
  if (run_count_ == runs_.size()) return false;
  runs_[run_count_++] = {static_cast<std::uint32_t>(raw_count_), anchor};
  return true;
}

bool StackReader::frame_moved(std::size_t at, bool innermost) const {
  if (instant_) return false;
  const std::size_t looks = !running_ ? 0 : looked_at_each_time(at) ? kLooks : 1;
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
  if (from < chunk_ || from >= chunk_end_) return false;
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
  for (std::size_t i = 0; i < raw_count_; ++i) {
    PlannedCode* code = planned(raw_[i].code);
    if (code == nullptr || !confirm(*code)) return Reading::unknown;
    const std::int32_t line = options_.lines ? codes_[code->id].lines.line_at(raw_[i].offset).value_or(0) : 0;
    frames_[i] = {code->id, line};
  }
  frame_count_ = raw_count_;
  return Reading::verified;
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
