// Writing a result where the user wants it: whole or not at all.
//
// A regular file is written beside its place and then moved there, so that nobody sees half of one and a full disk
// leaves nothing behind. Devices, pipes and `-` (standard output) are written directly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace flametap::format {

enum class Existing : std::uint8_t {
  replace,    // the user named this file
  keep_both,  // we chose the name: `a.svg` becomes `a-2.svg` if there is one already
};

// The path that was written, which keep_both may have changed. A reader that went away is an error, not a signal.
[[nodiscard]] Result<std::string> write_output(const std::string& path, std::string_view content,
                                               Existing existing = Existing::replace);

}  // namespace flametap::format
