// All bytes of a file, a pipe or a device, up to a limit.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace flametap::format {

// From where the descriptor, which is borrowed, stands. Fails if there is more than `limit`.
[[nodiscard]] Result<std::string> read_all(int file, std::size_t limit);

}  // namespace flametap::format
