// `flametap doctor`: what works on this machine, and for one process.
#pragma once

#include <sys/types.h>

#include <optional>

namespace flametap::cli {

struct DoctorRequest {
  std::optional<pid_t> pid = std::nullopt;
  bool json = false;
};

// The exit code that `record` would have for that process.
[[nodiscard]] int doctor(const DoctorRequest& request);

}  // namespace flametap::cli
