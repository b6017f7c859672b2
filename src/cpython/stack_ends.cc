// Both ends of a stack, as StackReader finds them: which frame is the innermost, whether its evaluation is set up, and
// whether the last one is the outermost.
#include "cpython/stack_reader.h"

namespace flametap::cpython {
namespace {

using target::Address;
using target::ReadStatus;
using target::to_number;

constexpr std::uint64_t kLargestThreadState = 4096;  // it has some hundred bytes

}  // namespace

// Nothing: we did not read where it is written.
std::optional<Address> StackReader::innermost_frame() {
  const auto link = Address{number_at(thread_words_, layout_.thread.frame)};
  if (layout_.frame_link != FrameLink::cframe || link == target::kNull) return link;
  const auto cframe = find_cframe(link);
  return cframe ? std::optional(cframe->current_frame) : std::nullopt;
}

// What is not in the plan, but can still be had of the instant of the reading.
template <typename T>
std::optional<T> StackReader::read_besides(Address from) {
  target::Memory* const memory = manner_ == Manner::instant   ? followed_
                                 : manner_ == Manner::running ? nullptr
                                                              : &memory_;
  T value{};
  if (memory == nullptr || memory->read_value(from, value) != ReadStatus::ok) return std::nullopt;
  if (manner_ != Manner::instant) ++late_readings_;
  return value;
}

std::optional<CFrames::Copy> StackReader::find_cframe(Address cframe) {
  if (const CFrames::Copy* const copy = cframes_.find(cframe, cframe_copies_)) return *copy;
  return read_besides<CFrames::Copy>(cframe + layout_.cframe.current_frame);
}

std::optional<Address> StackReader::find_outer_frame(Address cframe) {
  if (const Address* const frame = cframes_.find_outer_frame(cframe)) return *frame;
  return read_besides<Address>(cframe + layout_.cframe.current_frame);
}

// Only the outermost _PyCFrame may run nothing.
bool StackReader::is_half_made() const {
  if (layout_.frame_link != FrameLink::cframe) return false;
  const auto link = Address{number_at(thread_words_, layout_.thread.frame)};
  return link != target::kNull && !is_root_cframe(link);
}

// Whether the innermost evaluation is set up: see CFrames.
Reading StackReader::look_at_entry() {
  if (layout_.frame_link != FrameLink::cframe || run_count_ == 0) return Reading::verified;
  const auto link = Address{number_at(thread_words_, layout_.thread.frame)};
  if (is_root_cframe(link)) return Reading::verified;
  const auto cframe = find_cframe(link);
  if (!cframe) return Reading::unknown;
  if (!is_root_cframe(cframe->previous)) {
    // This word, too, may be anything yet, but further out is higher up. Elsewhere than in the outermost evaluation,
    // only a greenlet begins without a caller, and a generator without one does not run.
    if (cframe->previous <= link) return Reading::moved;
    if (entered_from_ == target::kNull && entry_is_generator_) return Reading::moved;
  }
  const auto caller = find_outer_frame(cframe->previous);
  if (!caller) return Reading::unknown;
  return *caller == entered_from_ ? Reading::verified : Reading::moved;
}

// The one that is part of the thread's own state, behind all that we know of that.
bool StackReader::is_root_cframe(Address address) const {
  const std::uint64_t offset = to_number(address) - to_number(thread_);
  return offset >= layout_.thread.size && offset < kLargestThreadState;
}

// Where C code began to evaluate. Compiled code that pushes frames of its own (Nuitka) has no such sign.
bool StackReader::ends_with_a_run() const {
  if (layout_.frame.is_entry == kAbsent && !layout_.has_shims()) return true;
  return run_count_ > 0 && runs_[run_count_ - 1].end == raw_count_;
}

// A generator may be cut off from its caller a moment before the thread leaves it: when it hands over (3.12), or when
// something was thrown into it (3.10, where its frame says so).
bool StackReader::is_cut_off() const {
  if (truncated_ || ends_with_a_run()) return false;
  const KnownCode* const outermost = codes_.find(raw_[raw_count_ - 1].code);
  return outermost == nullptr || (outermost->flags & kGeneratorCode) != 0;
}

}  // namespace flametap::cpython
