// CpuSeat: on which CPU the calling thread sits. By default it is at home, wherever the kernel puts it among the CPUs
// that it was started on; to ride along it moves to the CPU of a target's thread, which then cannot run at the same
// time. Never goes to a CPU outside the set that flametap was started with: whoever confined it (taskset, cpuset) meant
// it.
//
// All calls must come from the thread whose seat it is. The destructor goes home.
#pragma once

#include <sched.h>

#include <optional>

#include "base/result.h"

namespace flametap::sampler {

class CpuSeat {
 public:
  // Whether `take` would give that home.
  [[nodiscard]] static Result<void> check(std::optional<int> home);
  // `home`: the CPU to be on when not riding; none means any that is allowed. Asks the kernel for short turns on the
  // CPU, which come sooner where many want it, and lowers our priority, so that they take nothing from the target.
  // Without CAP_SYS_NICE it stays lowered, also in threads that are started from here on.
  [[nodiscard]] static Result<CpuSeat> take(std::optional<int> home);

  CpuSeat(CpuSeat&& other) noexcept;
  CpuSeat& operator=(CpuSeat&&) = delete;
  CpuSeat(const CpuSeat&) = delete;
  CpuSeat& operator=(const CpuSeat&) = delete;
  ~CpuSeat();

  [[nodiscard]] bool may_ride(int cpu) const;
  // Returns once the thread runs there. False: the kernel did not let us.
  [[nodiscard]] bool ride(int cpu);
  // Goes home, but not to this CPU. False: there is no other at home.
  bool keep_off(int cpu);
  // The CPU that it moved to, or none when it is at home.
  [[nodiscard]] std::optional<int> riding_on() const { return riding_on_; }

 private:
  CpuSeat(const cpu_set_t& allowed, const cpu_set_t& home) : allowed_(allowed), home_(home) {}
  static bool sit_on(const cpu_set_t& cpus);

  cpu_set_t allowed_;
  cpu_set_t home_;
  std::optional<int> riding_on_;
  std::optional<int> off_;  // the CPU that it keeps off at home
  int priority_ = 0;        // before we asked for a lower one
  bool owns_ = true;
};

}  // namespace flametap::sampler
