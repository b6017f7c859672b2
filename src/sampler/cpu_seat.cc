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
    if (!sit_on(seat.home_)) return errno_error("sched_setaffinity", errno);
  }
  return seat;
}

CpuSeat::CpuSeat(CpuSeat&& other) noexcept
    : allowed_(other.allowed_),
      home_(other.home_),
      riding_on_(other.riding_on_),
      off_(other.off_),
      owns_(std::exchange(other.owns_, false)) {}

CpuSeat::~CpuSeat() {
  if (owns_) sit_on(allowed_);
}

bool CpuSeat::may_ride(int cpu) const { return cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET(cpu, &allowed_); }

bool CpuSeat::sit_on(const cpu_set_t& cpus) { return sched_setaffinity(0, sizeof cpus, &cpus) == 0; }

bool CpuSeat::ride(int cpu) {
  if (riding_on_ == cpu) return true;
  if (!may_ride(cpu)) return false;
  cpu_set_t there;
  CPU_ZERO(&there);
  CPU_SET(cpu, &there);
  if (!sit_on(there)) return false;
  riding_on_ = cpu;
  return true;
}

bool CpuSeat::keep_off(int cpu) {
  if (!riding_on_ && off_ == cpu) return true;
  cpu_set_t elsewhere = home_;
  if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_CLR(cpu, &elsewhere);
  if (CPU_COUNT(&elsewhere) == 0 || !sit_on(elsewhere)) return false;
  riding_on_.reset();
  off_ = cpu;
  return true;
}

}  // namespace flametap::sampler
