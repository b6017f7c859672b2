// What every program for the kernel needs before it is loaded, whoever loads it.
#pragma once

#include <cstdint>

namespace flametap::target {

// Both 0: the machine's own, in which the kernel tells pids anyway.
struct PidNamespace {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

// The one that we are in.
[[nodiscard]] PidNamespace our_pid_namespace();

// libbpf writes to standard error whatever goes wrong; we say it ourselves.
void silence_libbpf();

}  // namespace flametap::target
