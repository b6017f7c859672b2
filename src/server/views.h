// A stored recording in each format that people download, as `report` makes it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/format.h"

namespace flametap::server {

// Fails if it cannot be read, or if the result would be absurdly large: some formats write every stack in full.
[[nodiscard]] Result<std::string> make_view(format::Format format, std::string_view ftap);

}  // namespace flametap::server
