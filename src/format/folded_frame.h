// What the text of a frame in a folded file says: name, file and line, told apart wherever the dialect is clear.
//
//   fib (/srv/app.py:5)      ours, and py-spy's
//   /srv/app.py:fib:5        Pyflame's, and Austin's
//   py::fib:/srv/app.py      perf's, of a Python that names its functions for it
//   do_sys_open_[k]          perf's, and ours: of the kernel; _[i]: inlined
//   inflate (/libz.so.1)_[n] ours: native
//   f_[j]                    perf's: compiled while running
//
// Where it is not clear, the whole text is the name. What was taken apart here and is written again as ours reads back
// as the same frame.
#pragma once

#include <optional>
#include <string_view>

#include "format/profile_import.h"

namespace flametap::format {

[[nodiscard]] FrameParts parse_frame(std::string_view text);

// `file:name:line` with what surely is a file; nothing if it is not.
[[nodiscard]] std::optional<FrameParts> parse_pyflame_frame(std::string_view text);

// A frame of Austin's own line, where a file need not look like one: `kernel:do_syscall_64:0`, and its words for what
// is no frame (`:GC:`). Nothing if it is not one.
[[nodiscard]] std::optional<FrameParts> parse_austin_frame(std::string_view text);

// A number as profilers write it: digits alone, no zero in front. Nothing if it is not one or does not fit.
template <typename Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text);

}  // namespace flametap::format
