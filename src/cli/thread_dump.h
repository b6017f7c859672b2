// ThreadDump: what the threads of a process do at one moment, as values.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/text_fit.h"
#include "sampler/named_frame.h"
#include "sampler/native_process.h"
#include "stack/outcome.h"

namespace flametap::cli {

struct DumpedThread {
  std::uint64_t number = 0;  // see sampler::ThreadSample
  pid_t tid;                 // 0: not known
  std::string name;          // that the program gave it, else the kernel's
  // Nothing: it runs no Python.
  std::optional<std::uint64_t> ident;
  std::optional<std::int64_t> interpreter;
  bool on_cpu;
  bool holds_gil;
  bool waits_for_gil;
  bool in_gc;
  bool stopped = false;  // by a signal such as SIGSTOP
  bool traced = false;   // held by a tracer other than us
  stack::Outcome outcome;
  stack::Step step;
  bool unmerged;                            // its C stack was asked for, but could not be had or does not fit
  bool native_truncated;                    // it goes on further out than we could follow
  std::vector<sampler::NamedFrame> frames;  // the innermost first
};

struct ThreadDump {
  pid_t pid;
  std::string command;
  std::string python;
  bool native;                        // with C stacks
  std::vector<DumpedThread> threads;  // in the interpreter's order: the newest first
};

[[nodiscard]] Result<ThreadDump> take_dump(pid_t pid, const std::optional<sampler::NativeOptions>& native = {});

// Leaves the others in their order.
void put_main_thread_first(ThreadDump& dump);

// The contract of `dump --json`: docs/formats/dump.md.
[[nodiscard]] std::string to_json(const ThreadDump& dump);
// For people; with escape sequences for a terminal if `colour`, and with names and paths cut to its width.
[[nodiscard]] std::string to_text(const ThreadDump& dump, bool colour, Columns columns = {});

}  // namespace flametap::cli
