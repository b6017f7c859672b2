// Which processes there are and who comes from whom, as /proc says at this moment.
#pragma once

#include <sys/types.h>

#include <vector>

namespace flametap::target {

// Every process that /proc shows us, in the order of their pids.
[[nodiscard]] std::vector<pid_t> all_processes();

// A process's children, whichever of its threads forked them.
[[nodiscard]] std::vector<pid_t> children_of(pid_t pid);

// All descendants of a process, the nearest first. Those whose parent has ended are not found.
[[nodiscard]] std::vector<pid_t> descendants(pid_t pid);

}  // namespace flametap::target
