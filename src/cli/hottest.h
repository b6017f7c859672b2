// The hottest functions as lines for people.
#pragma once

#include <cstddef>
#include <string>

#include "profile/profile.h"

namespace flametap::cli {

// A table with a header: self, total, share of each, name and file; at most `limit` functions.
[[nodiscard]] std::string hottest_table(const profile::Profile& profile, std::size_t limit);

// `  41.20 %  name (file)`, one line for each, by the time that they took themselves.
[[nodiscard]] std::string hottest_lines(const profile::Profile& profile, std::size_t limit);

}  // namespace flametap::cli
