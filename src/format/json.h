// json: everything that is in a profile, for programs and for reading back. See docs/formats/json.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "profile/profile.h"

namespace flametap::format {

inline constexpr std::uint32_t kJsonVersion = 2;
inline constexpr std::uint32_t kJsonOldestVersion = 1;  // without frames of the C stack

[[nodiscard]] std::string write_json(const profile::Profile& profile);

// Whatever the text, the profile that comes out is sound: ids in range, no cycle, sums that fit. An error names the
// place, such as `samples.stack[17]`.
[[nodiscard]] Result<profile::Profile> read_json(std::string_view text);

}  // namespace flametap::format
