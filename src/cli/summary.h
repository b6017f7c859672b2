// The closing summary of a recording: why it ended, how it went, what was lost, what was hot, where it is.
#pragma once

#include <string>

#include "profile/profile.h"

namespace flametap::cli {

// `all` is the whole recording, `shown` what was written of it.
[[nodiscard]] std::string summary_text(const profile::Profile& all, const profile::Profile& shown,
                                       const std::string& written_to);

}  // namespace flametap::cli
