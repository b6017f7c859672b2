// Which threads of the kernel the Python threads of a list are.
#pragma once

#include <sys/types.h>

#include <vector>

#include "cpython/layout.h"
#include "cpython/thread_list.h"
#include "target/memory.h"
#include "target/process.h"

namespace flametap::cpython {

// Their ids as we see them, in the order of list.threads; 0 where it cannot be known.
[[nodiscard]] std::vector<pid_t> find_tids(const target::Process& process, target::Memory& memory, const Layout& layout,
                                           const ThreadList& list);

}  // namespace flametap::cpython
