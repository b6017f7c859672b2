// Where a function comes from, told by its kind and its file alone: the recording may come from another machine.
#pragma once

#include <cstdint>
#include <string_view>

#include "profile/profile.h"

namespace flametap::profile {

// Of a native function nobody can tell whose it is: that it is native says more.
enum class Origin : std::uint8_t { own, library, standard_library, marker, native, inlined, kernel };

[[nodiscard]] Origin origin_of(std::string_view file);
[[nodiscard]] Origin origin_of(const Profile& profile, const Function& function);

}  // namespace flametap::profile
