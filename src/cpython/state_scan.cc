#include "cpython/state_scan.h"

#include <vector>

#include "base/bytes.h"
#include "target/page_cache.h"

namespace flametap::cpython {
namespace {

using target::Address;
using target::Memory;
using target::ReadStatus;

// An address that user space may have, of something that holds pointers.
bool is_plausible_pointer(std::uint64_t value) {
  return value >= 0x1000 && value < std::uint64_t{1} << 47 && value % 8 == 0;
}

bool is_interpreter(Memory& memory, const Layout& layout, Address state) {
  std::uint64_t thread = 0;
  std::uint64_t owner = 0;
  std::uint64_t next = 0;
  if (memory.read_value(state + layout.interpreter.threads_head, thread) != ReadStatus::ok) return false;
  if (!is_plausible_pointer(thread)) return false;
  if (memory.read_value(Address{thread} + layout.thread.interpreter, owner) != ReadStatus::ok) return false;
  if (Address{owner} != state) return false;
  if (memory.read_value(state + layout.interpreter.next, next) != ReadStatus::ok) return false;
  return next == 0 || is_plausible_pointer(next);
}

}  // namespace

std::optional<Address> scan_for_runtime(Memory& memory, const Layout& layout, Address from, std::uint64_t size) {
  std::vector<std::byte> variables(size);
  if (memory.read(from, variables) != ReadStatus::ok) return std::nullopt;
  target::PageCache pages(memory);
  for (std::uint64_t at = (8 - target::to_number(from) % 8) % 8; at + 8 <= size; at += 8) {
    const std::uint64_t value = load<std::uint64_t>(variables, at).value_or(0);
    if (!is_plausible_pointer(value) || at < layout.runtime.interpreters_head) continue;
    if (is_interpreter(pages, layout, Address{value})) return from + (at - layout.runtime.interpreters_head);
  }
  return std::nullopt;
}

}  // namespace flametap::cpython
