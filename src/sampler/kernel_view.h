// KernelView: what the kernel says of one thread; what is not to be had is missing.
#pragma once

#include <sys/types.h>

#include <optional>

#include "target/thread_stat.h"

namespace flametap::sampler {

struct KernelView {
  std::optional<target::ThreadStat> stat;
  std::optional<target::ThreadSchedstat> schedstat;
  std::optional<target::ThreadSyscall> syscall;
  bool has_ended = false;  // before we could look

  [[nodiscard]] static KernelView open(pid_t pid, pid_t tid);
};

// Nothing where the kernel does not count them.
[[nodiscard]] std::optional<target::TaskSchedstat> turns_of(const KernelView& kernel);

[[nodiscard]] inline bool is_running(const target::TaskStat& stat) { return stat.state == target::TaskState::running; }

}  // namespace flametap::sampler
