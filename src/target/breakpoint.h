// Breakpoint: one instruction at which a thread that we trace stops, before it runs it. Nothing is written into the
// target's memory: the processor's debug registers hold the address.
//
// Two ways, the gentler one first. The kernel's breakpoint event belongs to a descriptor of ours, so it is gone
// whenever we are. Where that is not to be had (before Linux 5.13, or perf events are forbidden), ptrace sets the
// register, which stays if we are killed: until ~Breakpoint the thread would then end with SIGTRAP at that instruction.
//
// The thread must be in a stop of ours when this is made and when it is destroyed (or have ended), and must not block
// SIGTRAP.
#pragma once

#include <sys/types.h>

#include "base/fd.h"
#include "base/result.h"
#include "target/memory.h"

namespace flametap::target {

class Breakpoint {
 public:
  [[nodiscard]] static Result<Breakpoint> set(pid_t tid, Address instruction);
  // The second way, whether or not the first one is to be had.
  [[nodiscard]] static Result<Breakpoint> set_by_ptrace(pid_t tid, Address instruction);

  Breakpoint(Breakpoint&& other) noexcept;
  Breakpoint& operator=(Breakpoint&&) = delete;
  ~Breakpoint();

  // Whether the SIGTRAP that the thread is about to take is due to this.
  [[nodiscard]] bool reached() const;

 private:
  Breakpoint(pid_t tid, Address instruction, Fd event)
      : tid_(tid), instruction_(instruction), event_(std::move(event)) {}

  pid_t tid_;  // 0: moved from
  Address instruction_;
  Fd event_;  // invalid: set by ptrace
};

}  // namespace flametap::target
