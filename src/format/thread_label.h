// The names that profilers give to threads in files that have one text for them.
#pragma once

#include <string_view>

#include "format/profile_import.h"

namespace flametap::format {

// `thread MainThread (7)` and `process 5 (python a.py) thread MainThread (7)` are ours, `Thread 7 "MainThread"` is
// py-spy's. Of any other text all is the name.
[[nodiscard]] ThreadParts parse_thread_label(std::string_view text);

}  // namespace flametap::format
