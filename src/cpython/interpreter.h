// Interpreter: where the CPython of a process keeps its state, and in which layout.
//
// Found in whatever mapped file embeds it: the executable, libpython, a plugin; by symbols where there are any, by
// looking for the state itself in the file's writable memory where there are none.
#pragma once

#include <string>

#include "base/result.h"
#include "cpython/layout.h"
#include "target/memory.h"
#include "target/process.h"

namespace flametap::cpython {

struct Interpreter {
  Layout layout;
  target::Address runtime;  // _PyRuntime; before 3.7 the variable interp_head
  // The word that names the thread which holds the GIL, where one word does for all interpreters; else null.
  target::Address current_thread = target::kNull;
  // What threads wait on for the GIL, where one does for all interpreters; else null or, without symbols, unknown.
  target::Address gil = target::kNull;
  std::uint64_t gil_size = 0;
  target::Address gil_pointer = target::kNull;  // 2.7: the variable that points to it, once there is a second thread
  // The int that tells whether garbage is being collected, where one does for all interpreters; else null.
  target::Address collecting = target::kNull;
  Version version;       // exactly, for people
  std::string file;      // that holds the interpreter
  std::string found_by;  // "symbols", "scan": for doctor
};

// Fails with Failure::not_python when there is none (yet: a process that is just starting has none for some
// milliseconds), and with Failure::not_permitted when its memory is closed to us.
[[nodiscard]] Result<Interpreter> find_interpreter(const target::Process& process, target::Memory& memory);

// Follows gil_pointer, where there is one: what it points to comes with the second thread, and is another after a fork.
void find_gil(target::Memory& memory, Interpreter& interpreter);

}  // namespace flametap::cpython
