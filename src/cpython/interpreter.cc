#include "cpython/interpreter.h"

#include <pthread.h>
#include <semaphore.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cpython/debug_offsets.h"
#include "cpython/layout_table.h"
#include "cpython/state_scan.h"
#include "target/module.h"
#include "target/rights.h"

namespace flametap::cpython {
namespace {

using target::Address;
using target::Memory;
using target::Module;
using target::ReadStatus;

constexpr std::uint64_t kMaxWritable = std::uint64_t{256} << 20;  // of one file, that we look through

using Symbols = Module::Addresses;

// What tells a CPython, and what we need of it.
Symbols python_symbols(Module& module) {
  std::vector<std::string_view> names{"_PyRuntime",       "interp_head",   "_PyThreadState_Current",
                                      "Py_Version",       "Py_GetVersion", "PyEval_EvalFrameEx",
                                      "interpreter_lock", "gil_cond",      "collecting"};
  names.insert(names.end(), trace_refs_symbols().begin(), trace_refs_symbols().end());
  return module.symbols(names);
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The executable and what is called python come first: the others are many, and seldom it.
std::vector<Module*> by_likelihood(std::vector<Module>& modules) {
  std::vector<Module*> ordered;
  for (Module& module : modules) ordered.push_back(&module);
  std::ranges::stable_sort(ordered, {}, [](const Module* module) {
    const bool named_python = file_name(module->path()).find("python") != std::string_view::npos;
    return named_python ? 0 : module->is_exe() ? 1 : 2;
  });
  return ordered;
}

std::optional<Version> version_in_memory(const Module& module, Memory& memory) {
  for (const auto& range : module.writable_ranges()) {
    if (range.size > kMaxWritable) continue;
    std::vector<std::byte> bytes(range.size);
    if (memory.read(range.begin, bytes) != ReadStatus::ok) continue;
    if (const auto version = find_version_string(bytes)) return version;
  }
  return std::nullopt;
}

std::optional<Version> find_version(const Module& module, const Symbols& symbols, Memory& memory) {
  if (const auto place = symbols.find("Py_Version"); place != symbols.end()) {
    std::uint32_t hex = 0;
    if (memory.read_value(place->second, hex) == ReadStatus::ok && hex >> 24 != 0) return Version::from_hex(hex);
  }
  if (const auto version = version_in_memory(module, memory)) return version;
  return version_from_file_name(module.path());
}

Error unsupported(const Module& module, Version version) {
  return {Failure::not_python, "CPython " + to_string(version) + " (" + module.path() + ") is not supported",
          "flametap reads CPython 2.7 and 3.6 to 3.15"};
}

// From 3.13 on the runtime describes itself.
std::optional<Result<Interpreter>> self_described(const Module& module, Memory& memory, Address runtime) {
  std::array<std::byte, kDebugOffsetsRead> start{};
  if (memory.read(runtime, start) != ReadStatus::ok || !has_debug_offsets(start)) return std::nullopt;
  auto layout = layout_from_debug_offsets(start);
  if (!layout) return layout.error().within(module.path());
  if (layout->free_threaded) {
    return Error{Failure::not_python, module.path() + " is a free-threaded build, which is not supported yet",
                 "run the program with the ordinary build, python" + std::to_string(layout->version.major) + "." +
                     std::to_string(layout->version.minor)};
  }
  const Version version = layout->version;
  return Interpreter{.layout = std::move(*layout),
                     .runtime = runtime,
                     .version = version,
                     .file = module.path(),
                     .found_by = "symbols"};
}

// Before 3.7, what concerns the GIL and the collector are variables of their own, which only a file with all its
// symbols names.
void find_variables(const Symbols& symbols, Interpreter& found) {
  if (const auto place = symbols.find("collecting"); place != symbols.end()) found.collecting = place->second;
  if (const auto place = symbols.find("gil_cond"); place != symbols.end()) {
    found.gil = place->second;
    found.gil_size = sizeof(pthread_cond_t);
  } else if (const auto lock = symbols.find("interpreter_lock"); lock != symbols.end()) {
    found.gil_pointer = lock->second;
  }
}

Interpreter assemble(const Module& module, const Layout& layout, Version version, Address runtime,
                     const Symbols& symbols) {
  Interpreter found{
      .layout = layout, .runtime = runtime, .version = version, .file = module.path(), .found_by = "symbols"};
  if (layout.runtime.interpreters_head == 0) find_variables(symbols, found);
  if (layout.runtime.gil != kAbsent) {
    found.gil = runtime + layout.runtime.gil;
    found.gil_size = layout.gil.size;
  }
  if (layout.runtime.gc != kAbsent) found.collecting = runtime + layout.runtime.gc + layout.gc.collecting;
  if (layout.gil_kind == GilKind::current_thread_field) found.current_thread = runtime + layout.runtime.current_thread;
  if (layout.gil_kind == GilKind::current_thread_variable) {
    const auto place = symbols.find("_PyThreadState_Current");
    if (place != symbols.end()) found.current_thread = place->second;
  }
  return found;
}

// The layouts that a version may have; which, its symbols say, if it has any.
std::vector<const Layout*> candidate_layouts(Version version, const Symbols& symbols) {
  const bool trace_refs = std::ranges::any_of(trace_refs_symbols(), [&](auto name) { return symbols.contains(name); });
  std::vector<const Layout*> layouts{find_layout(version, trace_refs)};
  if (!symbols.contains("Py_GetVersion")) layouts.push_back(find_layout(version, true));
  std::erase(layouts, nullptr);
  return layouts;
}

// No symbol leads to the state: it is looked for where the file's variables are.
std::optional<Interpreter> scan_once(const Module& module, Memory& memory, Version version, const Symbols& symbols) {
  for (const Layout* layout : candidate_layouts(version, symbols)) {
    for (const auto& range : module.writable_ranges()) {
      if (range.size > kMaxWritable) continue;
      if (const auto runtime = scan_for_runtime(memory, *layout, range.begin, range.size)) {
        Interpreter found = assemble(module, *layout, version, *runtime, symbols);
        found.found_by = "scan";
        return found;
      }
    }
  }
  return std::nullopt;
}

// The state may change while it is looked at, threads that come and go above all: then it is not recognised.
std::optional<Interpreter> scan(const Module& module, Memory& memory, Version version, const Symbols& symbols) {
  constexpr int kAttempts = 5;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (auto found = scan_once(module, memory, version, symbols)) return found;
  }
  return std::nullopt;
}

// Nothing: this file holds no CPython.
std::optional<Result<Interpreter>> look_into(Module& module, Memory& memory) {
  const Symbols symbols = python_symbols(module);
  const auto runtime = symbols.find("_PyRuntime");
  if (runtime != symbols.end()) {
    if (auto found = self_described(module, memory, runtime->second)) return found;
  } else if (const auto section = module.section(".PyRuntime")) {
    if (auto found = self_described(module, memory, section->begin)) return found;
  }
  const bool has_symbols = runtime != symbols.end() || symbols.contains("Py_GetVersion");
  const auto version = find_version(module, symbols, memory);
  if (!version) return std::nullopt;
  const auto layouts = candidate_layouts(*version, symbols);
  if (layouts.empty()) {
    if (has_symbols) return unsupported(module, *version);
    return std::nullopt;
  }
  const auto head = symbols.find("interp_head");
  if (runtime != symbols.end()) return assemble(module, *layouts.front(), *version, runtime->second, symbols);
  if (head != symbols.end()) return assemble(module, *layouts.front(), *version, head->second, symbols);
  if (auto found = scan(module, memory, *version, symbols)) return *found;
  if (!has_symbols) return std::nullopt;
  return Error{Failure::not_python,
               module.path() + " holds CPython " + to_string(*version) + ", which has not started yet",
               "try again in a moment"};
}

}  // namespace

void find_gil(Memory& memory, Interpreter& interpreter) {
  if (interpreter.gil_pointer == target::kNull) return;
  const bool read = memory.read_value(interpreter.gil_pointer, interpreter.gil) == ReadStatus::ok;
  interpreter.gil_size = read && interpreter.gil != target::kNull ? sizeof(sem_t) : 0;
}

Result<Interpreter> find_interpreter(const target::Process& process, Memory& memory) {
  auto modules = Module::list(process, memory);
  if (!modules) {
    return modules.error().kind == Failure::not_permitted ? target::explain_denied(process) : modules.error();
  }
  std::optional<Error> reason;
  for (Module* module : by_likelihood(*modules)) {
    auto found = look_into(*module, memory);
    if (!found) continue;
    if (*found) return *found;
    if (!reason) reason = found->error();
  }
  if (reason) return *reason;
  return Error{Failure::not_python, "process " + std::to_string(process.pid()) + " runs no CPython that we can find",
               "`flametap doctor " + std::to_string(process.pid()) + "` shows what was looked at"};
}

}  // namespace flametap::cpython
