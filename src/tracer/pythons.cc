#include "tracer/pythons.h"

#include <tuple>
#include <utility>

#include "target/module.h"

namespace flametap::tracer {

namespace {

// The types of what is written down most: known from the start, in case the process ends soon.
void learn_types(Python& python) {
  auto modules = target::Module::list(python.process, *python.memory);
  if (!modules) return;
  for (target::Module& module : *modules) {
    if (module.path() != python.interpreter->file) continue;
    const auto places = module.symbols({"PyLong_Type", "PyBool_Type", "PyFloat_Type", "PyUnicode_Type", "PyBytes_Type",
                                        "PyTuple_Type", "PyList_Type", "_PyNone_Type", "PyDict_Type"});
    for (const auto& [name, place] : places) std::ignore = python.types->find(place);
  }
}

}  // namespace

Python* Pythons::find(pid_t pid) {
  const auto known = pythons_.find(pid);
  if (known != pythons_.end() && known->second.process.alive()) return &known->second;
  auto process = target::Process::open(pid);
  if (!process) return known == pythons_.end() ? nullptr : &known->second;
  auto memory = std::make_unique<target::ProcessMemory>(pid);
  auto found = cpython::find_interpreter(*process, *memory);
  if (!found) return nullptr;
  auto interpreter = std::make_unique<cpython::Interpreter>(std::move(*found));
  auto types = std::make_unique<TypeNames>(*memory, interpreter->layout);
  pythons_.erase(pid);
  Python& python =
      pythons_.emplace(pid, Python{std::move(*process), std::move(memory), std::move(interpreter), std::move(types)})
          .first->second;
  learn_types(python);
  return &python;
}

}  // namespace flametap::tracer
