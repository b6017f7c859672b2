#include "native/stack_copy.h"

#include <algorithm>
#include <array>

namespace flametap::native {
namespace {

using target::kPage;
// Where nobody knows how far a stack reaches.
constexpr std::uint64_t kDefaultBytes = 64 * 1024;
// Above the outermost call's begin of its caller's part: a table may be wrong about where that is.
constexpr std::uint64_t kBeyondOutermost = 64;
// No process has more threads; ids are forgotten rather than kept for ever.
constexpr std::size_t kMaxThreads = 65'536;

}  // namespace

CaptureStatus StackCopy::capture_stopped(pid_t tid, target::Memory& memory, AddressSpace& space) {
  tid_ = tid;
  size_ = 0;
  const StoppedRegisters stopped = read_stopped_registers(tid);
  if (stopped.status == RegistersStatus::gone) return CaptureStatus::gone;
  if (stopped.status == RegistersStatus::not_64_bit) return CaptureStatus::unsupported;
  registers_ = stopped.registers;
  system_call_ = stopped.system_call;
  thread_pointer_ = stopped.thread_pointer;
  return copy(memory, space);
}

CaptureStatus StackCopy::capture_sleeping(pid_t tid, const target::TaskSyscall& call, target::Memory& memory,
                                          AddressSpace& space) {
  tid_ = tid;
  registers_ = sleeping_registers(target::Address{call.stack_pointer}, target::Address{call.program_counter});
  system_call_ = call.number < 0 ? std::nullopt : std::optional(call.number);
  thread_pointer_ = 0;
  return copy(memory, space);
}

void StackCopy::rehearse(target::Memory& memory) {
  if (size_ > 0) (void)memory.read(begin_, std::span(buffer_).first(size_));
}

void StackCopy::assign(const Registers& registers, target::Address begin, Bytes bytes) {
  tid_ = 0;
  registers_ = registers;
  system_call_.reset();
  thread_pointer_ = 0;
  begin_ = begin;
  buffer_.assign(bytes.begin(), bytes.end());
  size_ = bytes.size();
}

std::uint64_t StackCopy::size_to_copy(AddressSpace& space) const {
  const std::uint64_t stack_pointer = registers_[kStackPointer];
  const std::uint64_t stack_end = to_number(space.stack_end(target::Address{stack_pointer}));
  if (stack_end == 0) return kDefaultBytes;
  std::uint64_t end = stack_end;
  const auto known = used_ends_.find(tid_);
  // A thread that switches between stacks (coroutines) may be on another one now.
  if (known != used_ends_.end() && to_number(known->second) > stack_pointer) {
    end = std::min(end, to_number(known->second) + kBeyondOutermost);
  }
  return end - stack_pointer;
}

CaptureStatus StackCopy::copy(target::Memory& memory, AddressSpace& space) {
  const std::uint64_t size = std::min<std::uint64_t>(size_to_copy(space), kMaxBytes - kRedZone);
  const target::Address stack_pointer{registers_[kStackPointer]};
  const target::Address red_zone = stack_pointer + (0 - kRedZone);
  target::ReadStatus status = read(memory, red_zone, size + kRedZone);
  // At the very begin of its memory a stack has no red zone.
  if (status == target::ReadStatus::unmapped) status = read(memory, stack_pointer, size);
  switch (status) {
    case target::ReadStatus::ok:
      return CaptureStatus::ok;
    case target::ReadStatus::gone:
      return CaptureStatus::gone;
    case target::ReadStatus::denied:
      return CaptureStatus::denied;
    case target::ReadStatus::unmapped:
    case target::ReadStatus::elsewhere:
      break;
  }
  return CaptureStatus::unreadable;
}

target::ReadStatus StackCopy::read(target::Memory& memory, target::Address begin, std::uint64_t size) {
  begin_ = begin;
  size_ = 0;
  if (buffer_.size() < size) buffer_.resize(size);
  // In pieces of one call, each larger than the last: where the memory ends earlier than the map said, the pieces
  // before that place are still good.
  std::array<target::Segment, 16> pieces{};
  std::size_t count = 0;
  std::uint64_t done = 0;
  std::uint64_t next = kPage - to_number(begin) % kPage;
  while (done < size) {
    const std::uint64_t length = count + 1 == pieces.size() ? size - done : std::min(next, size - done);
    pieces[count++] = {begin + done, std::span(buffer_).subspan(done, length)};
    done += length;
    next = std::max(done & ~(kPage - 1), kPage);
  }
  const target::ReadResult result = memory.read(std::span(pieces).first(count));
  for (std::size_t i = 0; i < std::min(result.filled, count); ++i) size_ += pieces[i].to.size();
  const bool some = size_ > 0 && result.status == target::ReadStatus::unmapped;
  return some ? target::ReadStatus::ok : result.status;
}

void StackCopy::learn(UnwindEnd end, std::span<const Frame> frames) {
  if (tid_ == 0 || frames.empty()) return;
  if (end != UnwindEnd::complete) {
    used_ends_.erase(tid_);
    return;
  }
  const Frame& outermost = frames.back();
  const target::Address used_end = outermost.end != target::kNull ? outermost.end : outermost.begin;
  if (used_ends_.size() >= kMaxThreads && !used_ends_.contains(tid_)) used_ends_.clear();
  used_ends_[tid_] = used_end;
}

}  // namespace flametap::native
