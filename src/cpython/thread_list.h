// The interpreters of a process (sub-interpreters too) and their threads, as lists in its memory say.
//
// The target keeps running: a list may change under our hands. What was found is checked for plausibility and bounded;
// `complete` says whether each list was followed to its end.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cpython/layout.h"
#include "target/memory.h"

namespace flametap::cpython {

struct PythonThread {
  target::Address state;                  // the PyThreadState
  target::Address next;                   // in the list of its interpreter
  std::size_t interpreter;                // index in ThreadList::interpreters
  std::uint64_t ident;                    // threading.get_ident(), that is pthread_self()
  std::optional<std::int32_t> native_id;  // its kernel id in the target's own pid namespace, where the version keeps it
};

struct PythonInterpreter {
  target::Address state;  // the PyInterpreterState
  std::int64_t id;
  target::Address first_thread;
  target::Address gil;  // the GIL's struct, where each interpreter may have its own; else null
};

struct ThreadList {
  std::vector<PythonInterpreter> interpreters;
  std::vector<PythonThread> threads;
  bool complete = false;
};

// `runtime` is the address of _PyRuntime, or of the variable interp_head.
[[nodiscard]] ThreadList read_threads(target::Memory& memory, const Layout& layout, target::Address runtime);

// The Python thread of a thread of the system, by its pthread_self(), if it is among the newest of an interpreter that
// is in the list: for one that has begun to call Python since the list was read.
[[nodiscard]] std::optional<PythonThread> find_new_thread(target::Memory& memory, const Layout& layout,
                                                          const ThreadList& list, std::uint64_t ident);

}  // namespace flametap::cpython
