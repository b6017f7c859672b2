// folded: one line per stack, `frame;frame;frame COUNT`, the root first. See docs/formats/folded.md.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "format/read_any.h"
#include "profile/profile.h"

namespace flametap::format {

// A count is the time that a stack stands for, in intervals between ticks, or microseconds where those are not known;
// the ticks where no time is known. Lines are unique and in the order of their bytes. A `;` in a name is written as
// `:`.
[[nodiscard]] std::string write_folded(const profile::Profile& profile);

// `frame;frame BEFORE AFTER` for every stack of either, as programs for differential flame graphs read it. The counts
// of `before` are scaled so that both have the same sum: recordings of different lengths can be compared.
[[nodiscard]] std::string write_folded_difference(const profile::Profile& before, const profile::Profile& after);

// Reads what write_folded wrote, and the dialects of other tools: see folded_frame.h and austin.h. Lines that are not
// understood are left out and counted in a warning. Threads, times and states are not in it, except in Austin's.
[[nodiscard]] Result<ReadProfile> read_folded(std::string_view text, const ReadOptions& options = {});

}  // namespace flametap::format
