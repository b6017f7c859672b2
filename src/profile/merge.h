// Several recordings as one profile.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "profile/profile.h"

namespace flametap::profile {

// Under this name Quality::more says how many recordings a merged profile is made of.
inline constexpr std::string_view kMergedRecordings = "recordings";

// Processes and threads stay apart by recording, also where they have the same ids. Times count from the earliest
// start; the duration is the span from there to the last end; a recording that does not say when it began begins there
// too. The counts of the qualities are added. What differs between the recordings is not known of the whole (rate,
// reason of the end); where the modes differ, the whole has the narrower one, and only the samples that belong to it;
// where one of them knows only ticks or only times, so does the whole. Fails if they have neither in common, or if the
// sums are too large for any format. A source file of which two recordings have different texts is in none.
[[nodiscard]] Result<Profile> merge(std::span<const Profile> recordings);

}  // namespace flametap::profile
