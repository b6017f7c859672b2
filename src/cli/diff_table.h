// What changed between two recordings, as lines for people.
#pragma once

#include <cstddef>
#include <string>

#include "cli/text_fit.h"
#include "profile/diff.h"

namespace flametap::cli {

// A table with a header: for self and total the share before and after, in percent, and the change, in points; name and
// file; at most `limit` functions.
[[nodiscard]] std::string diff_table(const profile::Difference& difference, std::size_t limit, Columns columns = {});

}  // namespace flametap::cli
