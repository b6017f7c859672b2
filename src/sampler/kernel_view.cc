#include "sampler/kernel_view.h"

#include <utility>

namespace flametap::sampler {

KernelView KernelView::open(pid_t pid, pid_t tid) {
  KernelView view;
  auto stat = target::ThreadStat::open(pid, tid);
  view.has_ended = !stat && stat.error().kind == Failure::no_such_process;
  if (stat) view.stat = std::move(*stat);
  if (auto schedstat = target::ThreadSchedstat::open(pid, tid)) view.schedstat = std::move(*schedstat);
  if (auto syscall = target::ThreadSyscall::open(pid, tid)) view.syscall = std::move(*syscall);
  return view;
}

std::optional<target::TaskSchedstat> turns_of(const KernelView& kernel) {
  if (!kernel.schedstat) return std::nullopt;
  const auto turns = kernel.schedstat->read();
  return turns && turns->slices != 0 ? turns : std::nullopt;
}

}  // namespace flametap::sampler
