// What mends a missing right: the one place that decides it, for error messages and for `doctor` alike.
#pragma once

#include <cstdint>
#include <string>

#include "target/surroundings.h"

namespace flametap::target {

enum class Lack : std::uint8_t {
  trace,           // CAP_SYS_PTRACE
  attach,          // Yama forbids what is not our child (1), or everything (2), without CAP_SYS_PTRACE
  attach_ever,     // Yama forbids it to everybody (3)
  system_calls,    // a filter or a security module denies the system calls themselves
  outside,         // of our user namespace, where our rights do not count
  other_pids,      // the processes outside our pid namespace
  process_events,  // the kernel's word about new processes
  interrupts,      // a program in the kernel that reads in an interrupt: CAP_BPF and CAP_PERFMON
};

// A command, or a few with words between them; never empty.
[[nodiscard]] std::string remedy_for(Lack lack, const Surroundings& us);

}  // namespace flametap::target
