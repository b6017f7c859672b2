// The program that runs, as bytes: other machines download the profiler from the server.
#pragma once

#include <memory>

#include "base/result.h"
#include "server/message.h"

namespace flametap::server {

// The file that was started, even if it has been replaced or removed since.
[[nodiscard]] Result<std::shared_ptr<const ByteStream>> running_program();

}  // namespace flametap::server
