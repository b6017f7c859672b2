// From 3.13 on CPython describes itself: _PyRuntime begins with a _Py_DebugOffsets, a struct of numbers that says where
// the fields of its other structs are. Which number stands where in it changes with every minor version, so that is
// data: see layout_table.h. What it leaves out is taken from the version's row.
//
// The numbers come from the target and are believed only if they fit together.
#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "base/result.h"
#include "cpython/layout.h"

namespace flametap::cpython {

// How much of _PyRuntime to read: enough for every version we know and for one that grew.
inline constexpr std::size_t kDebugOffsetsRead = 1024;

// Whether these bytes, the start of _PyRuntime, are a self-description at all. False up to 3.12.
[[nodiscard]] bool has_debug_offsets(Bytes runtime_start);

// The layout that it describes. A newer minor version than we know is read as if it were the newest that we do, and
// marked `exact = false`; it is refused like any other if the numbers do not fit together.
[[nodiscard]] Result<Layout> layout_from_debug_offsets(Bytes runtime_start);

}  // namespace flametap::cpython
