// Finds the interpreter's state without any symbol: among the variables of the file that holds CPython, one points to a
// PyInterpreterState, and that is recognised by its threads, which point back to it.
#pragma once

#include <cstdint>
#include <optional>

#include "cpython/layout.h"
#include "target/memory.h"

namespace flametap::cpython {

// The address that Interpreter::runtime stands for, found in [from, from + size).
[[nodiscard]] std::optional<target::Address> scan_for_runtime(target::Memory& memory, const Layout& layout,
                                                              target::Address from, std::uint64_t size);

}  // namespace flametap::cpython
