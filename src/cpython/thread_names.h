// The names that a program gave its threads: threading.Thread(name="worker-7"). The kernel knows them only from 3.14
// on, and cut to 15 bytes; before, it calls every thread of a program by the program's name.
//
// They are read where `threading` keeps them: interpreter -> sys.modules["threading"] -> _active, a dictionary of
// ident -> Thread. Another way would be the `self` of a thread's outermost frame; but the main thread and threads that
// C code started have no such frame, and where a frame keeps its variables is one more thing that each version changes.
//
// Not for the hot path: some dozen system calls, and a few more for each thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "cpython/layout.h"
#include "cpython/thread_list.h"
#include "target/memory.h"

namespace flametap::cpython {

using ThreadNames = std::map<std::uint64_t, std::string>;  // by PythonThread::ident; valid UTF-8

// The names of those threads of `list` that `threading` knows; of a thread that it does not know, or whose name changes
// whenever we look, there is none. A thread that several interpreters know has the name that the oldest gives it.
[[nodiscard]] ThreadNames read_thread_names(target::Memory& memory, const Layout& layout, const ThreadList& list);

}  // namespace flametap::cpython
