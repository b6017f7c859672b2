// Reading a profile from a file, whatever format it is in: told by its content, not by its name.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "profile/profile.h"

namespace flametap::format {

// `-` is standard input.
[[nodiscard]] Result<profile::Profile> read_any(const std::string& path);

[[nodiscard]] Result<profile::Profile> read_any_text(std::string_view content);

}  // namespace flametap::format
