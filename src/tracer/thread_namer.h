// ThreadNamer: finds out what threading calls the threads of watched processes. Best effort: a thread may end before
// we looked.
//
// One thread only.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "cpython/interpreter.h"
#include "events/event.h"
#include "target/process.h"
#include "target/process_memory.h"

namespace flametap::tracer {

class ThreadNamer {
 public:
  // From now on it is looked for. The thread must outlive the namer.
  void add(events::Thread& thread) { nameless_.push_back({&thread, 0}); }

  // Names those that have a name by now. Cheap when there is nothing to do; looks at most some ten times a second.
  void look(Nanoseconds now);

 private:
  struct Nameless {
    events::Thread* thread;
    int looks;
  };
  struct Watched {
    target::Process process;
    std::unique_ptr<target::ProcessMemory> memory;
    cpython::Interpreter interpreter;
  };

  Watched* watched(pid_t pid);
  [[nodiscard]] static std::map<pid_t, std::string> names_of(Watched& watched);

  std::vector<Nameless> nameless_;
  std::map<pid_t, Watched> watched_;
  Nanoseconds next_look_ = 0;
};

}  // namespace flametap::tracer
