// speedscope: the file format of the viewer at speedscope.app; one profile per thread, in the order of time.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "format/read_any.h"
#include "profile/profile.h"

namespace flametap::format {

[[nodiscard]] std::string write_speedscope(const profile::Profile& profile);

// Of any tool: profiles of samples and of events, in every unit. Each profile in the file becomes a thread.
[[nodiscard]] Result<ReadProfile> read_speedscope(std::string_view text, const ReadOptions& options = {});

}  // namespace flametap::format
