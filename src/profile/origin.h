// Where a function comes from, told by its file alone: the recording may come from another machine.
#pragma once

#include <cstdint>
#include <string_view>

#include "profile/profile.h"

namespace flametap::profile {

enum class Origin : std::uint8_t { own, library, standard_library, marker };

[[nodiscard]] Origin origin_of(std::string_view file);
[[nodiscard]] Origin origin_of(const Profile& profile, const Function& function);

}  // namespace flametap::profile
