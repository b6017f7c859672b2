// Which kernel thread a pthread_t belongs to. The C library keeps the kernel's id inside the thread's descriptor, to
// which pthread_t points; where in it differs between C libraries, so the place is found by looking.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <span>

#include "target/memory.h"

namespace flametap::target {

struct PthreadId {
  pid_t inner_tid;
  Address place;  // of the word that says so, until the thread ends
};

// `inner_tids`: the ids of all threads of the process, as it sees them itself. A descriptor that cannot be read or
// tells no id of this process is left out.
[[nodiscard]] std::map<std::uint64_t, PthreadId> kernel_ids(Memory& memory, std::span<const std::uint64_t> descriptors,
                                                            std::span<const pid_t> inner_tids);

}  // namespace flametap::target
