// Pythons: the interpreters of the watched processes, found when they are first asked for.
//
// One thread only.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>

#include "cpython/interpreter.h"
#include "target/process.h"
#include "target/process_memory.h"
#include "tracer/type_names.h"

namespace flametap::tracer {

struct Python {
  target::Process process;
  std::unique_ptr<target::ProcessMemory> memory;
  std::unique_ptr<cpython::Interpreter> interpreter;
  std::unique_ptr<TypeNames> types;
};

class Pythons {
 public:
  // Null if its interpreter cannot be found, yet. One that was found stays when its process ends: events of it may
  // still be on their way.
  [[nodiscard]] Python* find(pid_t pid);
  // It executes another program, or is no more.
  void forget(pid_t pid) { pythons_.erase(pid); }

 private:
  std::map<pid_t, Python> pythons_;
};

}  // namespace flametap::tracer
