// Frame: one call of a sampled stack, as a number that its owner knows the names of.
#pragma once

#include <cstdint>

namespace flametap::stack {

enum class FrameKind : std::uint8_t {
  python,          // `number` is that of a code object
  native,          // of a place in a function of C, C++ or the like
  kernel,          // of a system call
  unknown_python,  // Python code that could not be read
};

struct Frame {
  FrameKind kind = FrameKind::python;
  std::uint32_t number = 0;
  std::int32_t line = 0;  // of Python only

  bool operator==(const Frame&) const = default;
};

}  // namespace flametap::stack
