// Recordings as the commands that show them read them, with their warnings said.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "profile/profile.h"

namespace flametap::cli {

// What of a file is needed.
struct Need {
  bool copy = false;  // all of it, whatever the modes are
  bool time = false;  // when each sample was taken
};

[[nodiscard]] Result<profile::Profile> read_profile(const std::string& file, Need need);

// A recording of everything is shown as `record` shows it; only a format that keeps everything is a whole copy.
// Nothing: as it was recorded.
[[nodiscard]] std::optional<profile::Mode> shown_mode(std::optional<profile::Mode> asked,
                                                      const profile::Profile& profile, Need need);

}  // namespace flametap::cli
