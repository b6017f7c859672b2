// Looking at a thread at a moment when it stands still, so that all that is seen of it, its registers too, is of one
// instant: while it sleeps, or else while it is stopped with ptrace. A thread that sleeps is never stopped: a stop can
// end its system call early. Of one that SIGSTOP stopped there is nothing to end, and only ptrace tells its registers.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>

#include "base/clock.h"
#include "sampler/kernel_view.h"
#include "target/pause.h"

namespace flametap::sampler {

// For a thread to stop: on a machine with more to do than CPUs it takes its turn.
inline constexpr Nanoseconds kPauseTimeout = 200'000'000;

enum class Still : std::uint8_t {
  asleep,    // it slept before, during and after the look
  stopped,   // it was running, and was stopped for it
  held,      // a signal had stopped it before, and it was held meanwhile
  gone,      // it has ended
  refused,   // we may not stop it, or cannot see how it sleeps
  restless,  // each time it woke up meanwhile, or did not stop in time
};

// Whether what was seen is of one instant.
[[nodiscard]] constexpr bool is_still(Still still) {
  return still == Still::asleep || still == Still::stopped || still == Still::held;
}

// How it was met; the last of several looks counts. `asleep_in`: the system call that it sleeps in, with its stack
// pointer; null while it is stopped.
using Look = std::function<void(const target::TaskSyscall* asleep_in)>;

struct StillThread {
  const KernelView& kernel;
  target::Pauser* pauser;  // null: never stop it
  pid_t tid;
  Nanoseconds& stopped;  // for how long it was held at the most, once it was stopped
};

[[nodiscard]] Still look_while_still(const StillThread& thread, const Look& look);

}  // namespace flametap::sampler
