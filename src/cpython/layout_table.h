// The layouts we know, as data: one row per minor version and kind of build, generated from CPython's own headers by
// tools/layouts/generate.py. layout_table.cc is the only file that compares versions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cpython/layout.h"
#include "cpython/version.h"

namespace flametap::cpython {

// The layout of a CPython that does not describe itself: 2.7 and 3.6 to 3.12. Null for all others.
[[nodiscard]] const Layout* find_layout(Version version, bool trace_refs);

// Nothing in the memory of such a CPython tells whether it was built with Py_TRACE_REFS, which makes every object
// larger; its dynamic symbols do. A file (interpreter or libpython) that defines any of these was: CPython renames the
// functions that extension modules must call, so that modules of the other kind do not link. Debug builds trace
// references up to 3.7; from 3.8 to 3.12 a debug build has the layout of the release build.
[[nodiscard]] std::span<const std::string_view> trace_refs_symbols();

// Where _Py_DebugOffsets, with which _PyRuntime begins from 3.13 on, states one number of a Layout.
struct DescribedField {
  const char* name = "";
  Offset& (*place)(Layout&) = nullptr;  // where the number belongs
  Offset position = 0;                  // of the field's offset
  Offset size_position = 0;             // of the size of the struct in which that offset is
  std::uint8_t width = 0;               // of the field itself
  Offset origin_position = kAbsent;     // of what to subtract: the field is stated relative to an outer struct
};

struct DebugOffsetsShape {
  Version version;       // the first that has this shape
  std::size_t size = 0;  // of _Py_DebugOffsets
  std::array<DescribedField, 33> fields;
};

// What is known in advance of a CPython that describes itself.
struct SelfDescribed {
  const DebugOffsetsShape* shape = nullptr;
  const Layout* row = nullptr;  // for all that the description leaves out
  bool exact = true;            // false: a newer minor version than we know; these are of the newest that we do
};

// Nothing for a version that does not describe itself.
[[nodiscard]] std::optional<SelfDescribed> find_self_described(Version version, bool free_threaded);

// All rows, for tests that go through every layout.
[[nodiscard]] std::span<const Layout> all_layouts();

}  // namespace flametap::cpython
