// ProcessFacts: what can be found out about one process, as far as one gets: by looking, and by trying each step of the
// sampling engine on its threads.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/step_trial.h"

namespace flametap::cli {

struct InterpreterFacts {
  std::string version;
  std::string file;                 // that holds it
  bool in_program = false;          // the file is the program itself, not a library
  std::string missing_file;         // why that file cannot be had from disk any more; empty: it can
  std::optional<bool> all_symbols;  // false: it is stripped; nothing: its file cannot be had
  bool debug = false;
  bool trace_refs = false;
  bool free_threaded = false;
  std::string found_by;  // "symbols", "scan"
  bool self_described = false;
  bool exact = true;   // false: newer than we know
  std::string layout;  // the version that the layout is of
  bool tells_thread_names = false;
  bool tells_gil_waits = false;
};

struct ProcessFacts {
  pid_t pid = 0;
  std::string command;
  std::optional<uid_t> user;
  pid_t tracer = 0;  // that holds it; 0: none
  std::optional<std::size_t> threads;
  std::optional<bool> same_files;  // the same mount namespace
  std::optional<bool> same_pids;
  std::optional<InterpreterFacts> interpreter;
  std::vector<ThreadTrial> trials;
  std::vector<std::string> looked_at;  // files that hold no Python, if none was found
  std::optional<Error> error;          // that `record` would end with
};

[[nodiscard]] ProcessFacts look_at_process(pid_t pid);

}  // namespace flametap::cli
