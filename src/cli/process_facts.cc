#include "cli/process_facts.h"

#include <algorithm>
#include <array>

#include "cpython/debug_offsets.h"
#include "sampler/process_sampler.h"
#include "target/module.h"
#include "target/process.h"
#include "target/process_memory.h"

namespace flametap::cli {
namespace {

void look_from_outside(const target::Process& process, ProcessFacts& facts) {
  facts.command = process.command();
  if (const auto status = process.status()) {
    facts.user = status->effective_uid;
    facts.tracer = status->tracer;
  }
  if (const auto threads = process.threads()) facts.threads = threads->size();
  if (const auto same = process.same_mount_namespace()) facts.same_files = *same;
  if (const auto inner = process.in_pid_namespace()) facts.same_pids = !*inner;
}

void look_at_file(target::Module& module, InterpreterFacts& facts) {
  facts.in_program = module.is_exe();
  facts.missing_file = module.missing_file_reason();
  if (const target::ElfFile* const file = module.file()) {
    facts.all_symbols = file->section(".symtab").has_value();
    // A program that was given to the loader as its argument is not what was started, but names the loader it wants.
    facts.in_program = facts.in_program || file->section(".interp").has_value();
  }
  // Only builds that count all references have one of these.
  facts.debug = !module.symbols({"_Py_RefTotal", "_Py_NegativeRefcount"}).empty();
}

bool describes_itself(target::Memory& memory, target::Address runtime) {
  std::array<std::byte, cpython::kDebugOffsetsRead> start{};
  return memory.read(runtime, start) == target::ReadStatus::ok && cpython::has_debug_offsets(start);
}

// Whether the address that a sleeping thread waits on can be known, and that of its GIL.
bool tells_gil_waits(const target::Process& process, const cpython::Interpreter& found) {
  const bool knows_gil = found.gil_size != 0 || found.gil_pointer != target::kNull ||
                         found.layout.gil_kind == cpython::GilKind::per_interpreter;
  return knows_gil && process.read_file("syscall").ok();
}

InterpreterFacts look_at_interpreter(const target::Process& process, const cpython::Interpreter& found) {
  const cpython::Layout& layout = found.layout;
  target::ProcessMemory memory(process.pid());
  InterpreterFacts facts;
  facts.version = cpython::to_string(found.version);
  facts.file = found.file;
  facts.trace_refs = layout.trace_refs;
  facts.free_threaded = layout.free_threaded;
  facts.found_by = found.found_by;
  facts.self_described = describes_itself(memory, found.runtime);
  facts.exact = layout.exact;
  facts.layout = cpython::to_string(layout.version);
  facts.tells_thread_names = layout.dict.keys != cpython::kAbsent;
  facts.tells_gil_waits = tells_gil_waits(process, found);
  if (auto modules = target::Module::list(process, memory)) {
    const auto module = std::ranges::find(*modules, found.file, &target::Module::path);
    if (module != modules->end()) look_at_file(*module, facts);
  }
  return facts;
}

std::vector<std::string> files_of(const target::Process& process) {
  std::vector<std::string> files;
  target::ProcessMemory memory(process.pid());
  auto modules = target::Module::list(process, memory);
  if (!modules) return files;
  for (target::Module& module : *modules) {
    const std::string missing = module.missing_file_reason();
    files.push_back(missing.empty() || module.path().starts_with('[') ? module.path() : missing);
  }
  return files;
}

}  // namespace

ProcessFacts look_at_process(pid_t pid) {
  ProcessFacts facts;
  facts.pid = pid;
  const auto process = target::Process::open(pid);
  if (!process) {
    facts.error = process.error();
    return facts;
  }
  look_from_outside(*process, facts);
  const auto attached = sampler::ProcessSampler::attach(pid, {});
  if (!attached) {
    facts.error = attached.error();
    if (attached.error().kind == Failure::not_python) facts.looked_at = files_of(*process);
    if (facts.error->remedy.find("flametap doctor") != std::string::npos) facts.error->remedy.clear();  // that is us
    return facts;
  }
  facts.interpreter = look_at_interpreter(*process, (*attached)->interpreter());
  facts.trials = try_threads(**attached);
  return facts;
}

}  // namespace flametap::cli
