#include "sampler/cpu_seat.h"

#include <cerrno>
#include <string>
#include <utility>

namespace flametap::sampler {

Result<CpuSeat> CpuSeat::take(std::optional<int> home) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return errno_error("sched_getaffinity", errno);
  CpuSeat seat(allowed, allowed);
  if (home) {
    if (!seat.may_ride(*home)) {
      return Error{Failure::usage, "CPU " + std::to_string(*home) + " is not one that flametap may use",
                   "choose one of those that `taskset -cp $$` shows"};
    }
    CPU_ZERO(&seat.home_);
    CPU_SET(*home, &seat.home_);
    if (sched_setaffinity(0, sizeof seat.home_, &seat.home_) != 0) return errno_error("sched_setaffinity", errno);
  }
  return seat;
}

CpuSeat::CpuSeat(CpuSeat&& other) noexcept
    : allowed_(other.allowed_),
      home_(other.home_),
      riding_on_(other.riding_on_),
      owns_(std::exchange(other.owns_, false)) {}

CpuSeat::~CpuSeat() {
  if (owns_) sched_setaffinity(0, sizeof allowed_, &allowed_);
}

bool CpuSeat::may_ride(int cpu) const { return cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET(cpu, &allowed_); }

bool CpuSeat::ride(int cpu) {
  if (riding_on_ == cpu) return true;
  if (!may_ride(cpu)) return false;
  cpu_set_t there;
  CPU_ZERO(&there);
  CPU_SET(cpu, &there);
  if (sched_setaffinity(0, sizeof there, &there) != 0) return false;
  riding_on_ = cpu;
  return true;
}

void CpuSeat::go_home() {
  if (!riding_on_) return;
  sched_setaffinity(0, sizeof home_, &home_);
  riding_on_.reset();
}

}  // namespace flametap::sampler
