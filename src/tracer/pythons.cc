#include "tracer/pythons.h"

#include <utility>

namespace flametap::tracer {

Python* Pythons::find(pid_t pid) {
  const auto known = pythons_.find(pid);
  if (known != pythons_.end()) {
    if (known->second.process.alive()) return &known->second;
    pythons_.erase(known);
  }
  auto process = target::Process::open(pid);
  if (!process) return nullptr;
  auto memory = std::make_unique<target::ProcessMemory>(pid);
  auto found = cpython::find_interpreter(*process, *memory);
  if (!found) return nullptr;
  auto interpreter = std::make_unique<cpython::Interpreter>(std::move(*found));
  auto types = std::make_unique<TypeNames>(*memory, interpreter->layout);
  return &pythons_
              .emplace(pid, Python{std::move(*process), std::move(memory), std::move(interpreter), std::move(types)})
              .first->second;
}

}  // namespace flametap::tracer
