#include "cpython/state_scan.h"

#include <vector>

#include "base/bytes.h"
#include "cpython/code_cache.h"
#include "target/page_cache.h"

namespace flametap::cpython {
namespace {

using target::Address;
using target::Memory;
using target::ReadStatus;

constexpr int kMaxIdleThreads = 256;  // that may all be without Python code

// An address that user space may have, of something that holds pointers.
bool is_plausible_pointer(std::uint64_t value) {
  return value >= 0x1000 && value < std::uint64_t{1} << 47 && value % 8 == 0;
}

// The innermost frame of the thread leads to a code object.
bool runs_code(Memory& memory, const Layout& layout, CodeCache& codes, Address thread) {
  Address frame = target::kNull;
  if (memory.read_value(thread + layout.thread.frame, frame) != ReadStatus::ok) return false;
  if (layout.frame_link == FrameLink::cframe && frame != target::kNull &&
      memory.read_value(frame + layout.cframe.current_frame, frame) != ReadStatus::ok) {
    return false;
  }
  std::uint64_t code = 0;
  if (frame == target::kNull || memory.read_value(frame + layout.frame.code, code) != ReadStatus::ok) return false;
  return codes.load(memory, Address{code & ~layout.code_tag_mask}) != nullptr;
}

// Its threads point back to it, and one of them runs Python code. Less will not do: in 2.7 a thread and its interpreter
// point at each other at the same offsets, and so do the members of many a list.
bool is_interpreter(Memory& memory, const Layout& layout, CodeCache& codes, Address state) {
  std::uint64_t thread = 0;
  if (memory.read_value(state + layout.interpreter.threads_head, thread) != ReadStatus::ok) return false;
  for (int i = 0; i < kMaxIdleThreads && is_plausible_pointer(thread); ++i) {
    std::uint64_t owner = 0;
    if (memory.read_value(Address{thread} + layout.thread.interpreter, owner) != ReadStatus::ok) return false;
    if (Address{owner} != state) return false;
    if (runs_code(memory, layout, codes, Address{thread})) return true;
    if (memory.read_value(Address{thread} + layout.thread.next, thread) != ReadStatus::ok) return false;
  }
  return false;
}

}  // namespace

std::optional<Address> scan_for_runtime(Memory& memory, const Layout& layout, Address from, std::uint64_t size) {
  std::vector<std::byte> variables(size);
  if (memory.read(from, variables) != ReadStatus::ok) return std::nullopt;
  target::PageCache pages(memory);
  CodeCache codes(layout);
  for (std::uint64_t at = (8 - target::to_number(from) % 8) % 8; at + 8 <= size; at += 8) {
    const std::uint64_t value = load<std::uint64_t>(variables, at).value_or(0);
    if (!is_plausible_pointer(value) || at < layout.runtime.interpreters_head) continue;
    if (is_interpreter(pages, layout, codes, Address{value})) return from + (at - layout.runtime.interpreters_head);
  }
  return std::nullopt;
}

}  // namespace flametap::cpython
