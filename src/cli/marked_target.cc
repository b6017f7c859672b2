#include "cli/marked_target.h"

#include <algorithm>
#include <utility>

#include "cli/arguments.h"
#include "cli/diagnostics.h"
#include "cpython/interpreter.h"
#include "target/process_memory.h"

namespace flametap::cli {
namespace {

bool is_number(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Why a process has no markers: it is no Python, or one that was built without them.
Error no_markers(const target::Process& process) {
  target::ProcessMemory memory(process.pid());
  const auto interpreter = cpython::find_interpreter(process, memory);
  if (!interpreter) return interpreter.error();
  const std::string pid = std::to_string(process.pid());
  return {Failure::not_python,
          "its Python " + to_string(interpreter->version) + " was built without markers (--with-dtrace)",
          "flametap record -p " + pid + ", which needs none"};
}

Result<MarkedTarget> find_process(pid_t pid) {
  const Result<target::Process> process = target::Process::open(pid);
  if (!process) return process.error();
  Result<std::vector<tracer::MarkedFile>> files = tracer::marked_files_of(*process);
  if (!files) return files.error();
  if (files->empty()) return no_markers(*process);
  MarkedTarget found{.pid = pid, .version = python_version(*process), .files = std::move(*files)};
  if (const auto exe = process->exe_path()) found.program = *exe;
  return found;
}

}  // namespace

std::optional<cpython::Version> python_version(const target::Process& process) {
  target::ProcessMemory memory(process.pid());
  const auto interpreter = cpython::find_interpreter(process, memory);
  return interpreter ? std::optional(interpreter->version) : std::nullopt;
}

Result<MarkedTarget> find_marked_target(const std::string& what) {
  if (is_number(what)) {
    const Result<pid_t> pid = parse_pid(what);
    if (!pid) return pid.error();
    Result<MarkedTarget> found = find_process(*pid);
    if (!found) return found.error().within("cannot look for markers");
    return found;
  }
  Result<tracer::MarkedFile> file = tracer::marked_file(what);
  if (!file) {
    Error error = file.error();
    if (error.kind == Failure::not_python)
      error.remedy = "if it was built with --enable-shared, its markers are in its libpython: give that file";
    return error;
  }
  return MarkedTarget{.files = {std::move(*file)}};
}

}  // namespace flametap::cli
