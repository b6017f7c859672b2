// The token that a server wants to be told, out of a file that nobody else may read.
#pragma once

#include <string>

#include "base/result.h"

namespace flametap::cli {

[[nodiscard]] Result<std::string> read_token(const std::string& path);

}  // namespace flametap::cli
