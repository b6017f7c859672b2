// Visit: a thread of the system that calls Python now and then (PyGILState_Ensure) gets a new Python thread state at
// each visit. This is one that is newer than our list of threads, met while the thread stood still.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "cpython/stack_reader.h"
#include "cpython/thread_list.h"
#include "stack/outcome.h"
#include "target/memory.h"

namespace flametap::sampler {

struct Visit {
  cpython::PythonThread python;
  std::unique_ptr<cpython::StackReader> reader;  // its reading is verified, frames or not
  stack::State state;                            // whether it holds the GIL
};

// To be asked while the thread stands still. `ident` is its pthread_self(); 0: not known. Nothing: it has no state but
// `known`, which is null if it has none.
using FindVisit = std::function<std::optional<Visit>(std::uint64_t ident, target::Address known)>;

}  // namespace flametap::sampler
