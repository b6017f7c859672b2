// folded: one line per stack, `frame;frame;frame COUNT`, the root first. See docs/formats/folded.md.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "profile/profile.h"

namespace flametap::format {

// Counts are ticks; lines are unique and in the order of their bytes. A `;` in a name is written as `:`.
[[nodiscard]] std::string write_folded(const profile::Profile& profile);

// Reads what write_folded wrote, and the plain `a;b;c 12` of other tools. Threads, times and states are not in it.
[[nodiscard]] Result<profile::Profile> read_folded(std::string_view text);

}  // namespace flametap::format
