// ProcessEvents: which processes of the machine fork, execute another program and exit, told by the kernel as it
// happens (its process connector), so that nobody who lives for some milliseconds only is missed.
//
// Needs CAP_NET_ADMIN, and the machine's own pid and network namespaces. One thread only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"

namespace flametap::target {

struct ProcessEvent {
  enum class Kind : std::uint8_t { forked, executed, exited };
  Kind kind{};
  pid_t pid = 0;
  pid_t parent = 0;  // of one that was forked
};

class ProcessEvents {
 public:
  [[nodiscard]] static Result<ProcessEvents> open();

  // Waits for at most `patience`, then appends what has happened since the last call, in its order. False: the kernel
  // had to drop events, because we did not ask in time.
  [[nodiscard]] bool wait(Nanoseconds patience, std::vector<ProcessEvent>& events);

 private:
  explicit ProcessEvents(Fd socket) : socket_(std::move(socket)) {}
  Fd socket_;
};

}  // namespace flametap::target
