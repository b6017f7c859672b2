// Which threads of the kernel the Python threads of a list are.
#pragma once

#include <sys/types.h>

#include <vector>

#include "cpython/layout.h"
#include "cpython/thread_list.h"
#include "target/memory.h"
#include "target/process.h"

namespace flametap::cpython {

// An ident (pthread_self()) and a PyThreadState are given again to the next thread, while the kernel still lists the
// one before: to end it may take a while. What tells them apart is the kernel's id, where the target's memory says it.
struct KernelId {
  pid_t tid = 0;                          // as we see it; 0: it cannot be known
  pid_t inner_tid = 0;                    // as the target sees it
  target::Address place = target::kNull;  // of the inner_tid in its memory
  bool is_gone = false;                   // it has ended, or was not forked when its process was
};

// In the order of list.threads.
[[nodiscard]] std::vector<KernelId> find_kernel_ids(const target::Process& process, target::Memory& memory,
                                                    const Layout& layout, const ThreadList& list);

// False: the memory in which a thread was found is another's by now. True of one that ended, too, if nobody has used
// its memory since.
[[nodiscard]] bool still_stands(target::Memory& memory, const KernelId& id);

}  // namespace flametap::cpython
