// One call on a thread's C stack, as the unwinder found it.
#pragma once

#include <cstdint>

#include "target/memory.h"

namespace flametap::native {

struct Frame {
  // To be looked up. For all but the innermost call (and what has to do with a signal: the call that it interrupted,
  // the kernel's way back from the handler) it is inside the calling instruction, one byte before the address of
  // return: the call may be the last instruction of its function.
  target::Address pc = target::kNull;
  target::Address begin = target::kNull;  // the stack pointer while it runs
  target::Address end = target::kNull;    // where its caller's part of the stack begins; null: not known
  bool guessed = false;                   // its caller was found by the frame pointer alone

  bool operator==(const Frame&) const = default;
};

// Why there are no more frames.
enum class UnwindEnd : std::uint8_t {
  complete,   // the outermost call is there
  truncated,  // the stack is deeper than what was copied, or than we follow
  lost,       // nothing says how to go on from the last frame, or what says so makes no sense
};

}  // namespace flametap::native
