#include "sampler/cpu_seat.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

namespace flametap::sampler {
namespace {

// What sched_setattr(2) takes; the C library has no declaration of it.
struct SchedulingAttributes {
  std::uint32_t size = sizeof(SchedulingAttributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;  // since Linux 6.12: the length of a turn that an ordinary thread asks for
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

constexpr std::uint64_t kShortestTurn = 100'000;  // that the kernel grants
constexpr int kModestPriority = 10;               // as nice(1) counts it

// A thread with short turns gets them earlier without taking more of the CPU: a sample takes some microseconds, and a
// late one is a missed one. A kernel that does not know them changes nothing.
//
// The priority is never raised. Linux shares the CPUs among groups of processes (sessions, cgroups) by their weight,
// and the weight of a group goes where its heaviest thread is: a sampler of high priority beside a target of its own
// group draws the group's share away from the target's CPU. A lower one costs no more ticks, and leaves the target
// more.
void ask_for_short_turns() {
  SchedulingAttributes attributes;
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
  if (attributes.policy != SCHED_OTHER) return;
  attributes.runtime = kShortestTurn;
  attributes.nice = std::max(attributes.nice, kModestPriority);
  if (::syscall(SYS_sched_setattr, 0, &attributes, 0) != 0) ::setpriority(PRIO_PROCESS, 0, attributes.nice);
}

bool is_in(const cpu_set_t& cpus, int cpu) { return cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET(cpu, &cpus); }

}  // namespace

Result<void> CpuSeat::check(std::optional<int> home) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return errno_error("sched_getaffinity", errno);
  if (!home || is_in(allowed, *home)) return {};
  return Error{Failure::usage, "CPU " + std::to_string(*home) + " is not one that flametap may use",
               "choose one of those that `taskset -cp $$` shows"};
}

Result<CpuSeat> CpuSeat::take(std::optional<int> home) {
  if (const auto possible = check(home); !possible) return possible.error();
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return errno_error("sched_getaffinity", errno);
  CpuSeat seat(allowed, allowed);
  seat.priority_ = ::getpriority(PRIO_PROCESS, 0);
  ask_for_short_turns();
  if (home) {
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
      priority_(other.priority_),
      owns_(std::exchange(other.owns_, false)) {}

CpuSeat::~CpuSeat() {
  if (!owns_) return;
  sit_on(allowed_);
  ::setpriority(PRIO_PROCESS, 0, priority_);
}

bool CpuSeat::may_ride(int cpu) const { return is_in(allowed_, cpu); }

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
