// `flametap doctor`: what works on this machine, and for one process.
#pragma once

#include <sys/types.h>

#include <optional>

namespace flametap::cli {

// The exit code that `record` would have for that process.
[[nodiscard]] int doctor(std::optional<pid_t> pid);

}  // namespace flametap::cli
