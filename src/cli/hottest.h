// The hottest functions as lines for people.
#pragma once

#include <cstddef>
#include <string>

#include "cli/text_fit.h"
#include "profile/profile.h"

namespace flametap::cli {

// A table with a header: self, total, share of each, name and file; at most `limit` functions.
// Names and files are cut to the width of the terminal.
[[nodiscard]] std::string hottest_table(const profile::Profile& profile, std::size_t limit, Columns columns = {});

// `  41.20 %  name (file)`, one line for each, by the time that they took themselves.
[[nodiscard]] std::string hottest_lines(const profile::Profile& profile, std::size_t limit);

}  // namespace flametap::cli
