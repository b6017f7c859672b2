#include "sampler/still.h"

#include <optional>

namespace flametap::sampler {
namespace {

constexpr int kAttempts = 4;

Still look_at_stopped(const StillThread& thread, const Look& look) {
  const Nanoseconds start = monotonic_now();
  Still still = Still::refused;
  {
    const target::Pause pause = thread.pauser->stop(thread.tid, kPauseTimeout);
    switch (pause.status()) {
      case target::PauseStatus::stopped:
        look(nullptr);
        still = Still::stopped;
        break;
      case target::PauseStatus::gone:
      case target::PauseStatus::replaced:
        return Still::gone;
      case target::PauseStatus::timed_out:
        return Still::restless;  // it is still asked to stop
      case target::PauseStatus::traced_by_other:
      case target::PauseStatus::denied:
        break;
    }
  }
  thread.stopped = monotonic_now() - start;
  return still;
}

// Whether it slept on: it had no turn on a CPU since. Where the kernel does not count them, the same call at the same
// place is the best there is.
bool slept_on(const KernelView& kernel, const std::optional<target::TaskSchedstat>& before,
              const target::TaskSyscall& asleep_in) {
  if (before && before->slices != 0) return kernel.schedstat->read() == before;
  return kernel.syscall->read() == asleep_in;
}

Still look_at_sleeping(const KernelView& kernel, const Look& look) {
  if (!kernel.syscall) return Still::refused;
  std::optional<target::TaskSchedstat> before;
  if (kernel.schedstat) before = kernel.schedstat->read();
  const std::optional<target::TaskSyscall> asleep_in = kernel.syscall->read();
  if (!asleep_in) return Still::restless;
  look(&*asleep_in);
  return slept_on(kernel, before, *asleep_in) ? Still::asleep : Still::restless;
}

}  // namespace

Still look_while_still(const StillThread& thread, const Look& look) {
  if (!thread.kernel.stat) return Still::refused;
  Still last = Still::restless;
  for (int i = 0; i < kAttempts && last == Still::restless; ++i) {
    const auto stat = thread.kernel.stat->read();
    if (!stat) return Still::gone;
    const bool is_held = stat->state == target::TaskState::stopped;
    if (!is_running(*stat) && !is_held) {
      last = look_at_sleeping(thread.kernel, look);
    } else if (thread.pauser != nullptr) {
      last = look_at_stopped(thread, look);
      if (last == Still::stopped && is_held) last = Still::held;
    } else {
      last = Still::refused;
    }
  }
  return last;
}

}  // namespace flametap::sampler
