// The words of `flametap trace`, and what they ask for.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "cli/trace_command.h"
#include "format/tapset.h"

namespace CLI {
class App;
}

namespace flametap::cli {

// As they were typed.
struct TraceWords {
  std::vector<std::string> pids;
  bool all = false;
  std::vector<std::string> events;
  std::string within;
  std::string function;
  std::string file;
  std::string thread;
  std::string min_duration;
  std::string duration;
  std::string output = "-";
  std::string format;
  std::string buffer = "64";
  bool summary = false;
  bool top = false;
  std::string interval = "1";
  std::string limit = "20";
  bool batch = false;
  bool list = false;
  std::string tapset;
  std::string tapset_for = "systemtap";
  bool json = false;
  std::vector<std::string> bare;  // processes, as after -p; with --list: what it is about
};

extern const char* const kTraceUsage;
extern const char* const kTraceFooter;

void add_trace_options(CLI::App& command, TraceWords& words);

// What each of the forms of the command wants.
struct ListRequest {
  std::string what;  // a pid, a file, or empty: every Python of the machine
  bool json = false;
};
struct TapsetRequest {
  std::string what;
  format::TapsetLanguage language = format::TapsetLanguage::systemtap;
};
using AnyTraceRequest = std::variant<TraceRequest, ListRequest, TapsetRequest>;

// `command` is what stands after `--`, or null.
[[nodiscard]] Result<AnyTraceRequest> trace_request(const CLI::App& app, const TraceWords& words,
                                                    const std::vector<std::string>* command);

}  // namespace flametap::cli
