#include "cli/trace_arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/arguments.h"
#include "cli/option_words.h"

namespace flametap::cli {

const char* const kTraceUsage =
    "flametap trace (PID... | --all | -- COMMAND [ARGUMENTS]) [OPTIONS]\n"
    "       flametap trace --list [PID|FILE]\n"
    "       flametap trace --tapset PID|FILE [--for LANGUAGE]";
const char* const kTraceFooter = R"(Examples:
  Every call and return, as a tree:
    flametap trace -- python3 prog.py
  Only what happens inside of one function:
    flametap trace -p 1234 --within handle_request
  Calls of some functions, if they take 10 ms or more:
    flametap trace -p 1234 --function '^save' --min-duration 10
  The pauses of the garbage collector:
    flametap trace -p 1234 --events gc
  Where the start-up time goes:
    flametap trace --events import --summary -- python3 prog.py
  Calls, time and percentiles of each function, exact:
    flametap trace -p 1234 -d 10 --summary
  Flame charts with exact times, by `flametap report`:
    flametap trace -p 1234 -d 10 -o calls.ftap
  The functions called most, on the whole machine:
    flametap trace --top --all
  Which Pythons here have markers, and which:
    flametap trace --list

Uses the markers that a CPython was built with (--with-dtrace, as in Debian,
Ubuntu and Fedora), by eBPF, as root. Which events there are depends on its
version: 3.12 to 3.14 cannot tell of calls and lines. Watching every call slows
a program down; filters are applied in the kernel, which helps. --function and
--file are about calls and lines. The format follows from FILE's ending: .jsonl,
.json (chrome), .ftap, .dtrace, .stap, .txt.

With `--` the exit code is the command's own. Otherwise: 0 done, 1 failed,
2 usage, 3 not permitted, 4 no such process, 5 no Python with the markers that
are needed.)";

void add_trace_options(CLI::App& command, TraceWords& words) {
  command.add_option("-p,--pid", words.pids, "The processes, which may be several")->type_name("PID");
  command.add_flag("--all", words.all, "Every Python of the machine, later ones, too");
  command.add_option("--events", words.events, "Of call,line,gc,import,audit [call]")->type_name("NAMES");
  command.add_option("--within", words.within, "Only inside of calls of this function")->type_name("FUNCTION");
  command.add_option("--function", words.function, "Only functions whose name matches")->type_name("REGEX");
  command.add_option("--file", words.file, "Only functions whose file matches")->type_name("REGEX");
  command.add_option("--thread", words.thread, "Only threads whose name or id matches")->type_name("REGEX");
  command.add_option("--min-duration", words.min_duration, "Only what takes at least so long")->type_name("MS");
  command.add_option("-d,--duration", words.duration, "Stop tracing after so many seconds")->type_name("SECS");
  command.add_option("-o,--output", words.output, "Where to write [-: standard output]")->type_name("FILE");
  command.add_option("-f,--format", words.format, "tree, dtrace, stap, jsonl, chrome, ftap [tree]")
      ->type_name("FORMAT");
  command.add_flag("--summary", words.summary, "A table of functions at the end, not the events");
  command.add_flag("--top", words.top, "A live table of the functions called most");
  command.add_option("--interval", words.interval, "With --top: from table to table [1]")->type_name("SECS");
  command.add_option("--limit", words.limit, "With --top: how many functions [20]")->type_name("N");
  command.add_flag("--batch", words.batch, "With --top: do not clear the screen");
  command.add_option("--buffer", words.buffer, "Room for events; more if some are LOST [64]")->type_name("MB");
  command.add_flag("--list", words.list, "Which markers there are: PID, FILE, or all");
  command.add_option("--tapset", words.tapset, "Print scripts for other tools")->type_name("PID|FILE");
  command.add_option("--for", words.tapset_for, "systemtap, bpftrace or dtrace [systemtap]")->type_name("LANGUAGE");
  command.add_flag("--json", words.json, "With --list: for programs");
  command.add_option("PID", words.bare)->group("");  // hidden: the usage shows it
}

namespace {

using format::TraceFormat;

struct NamedFormat {
  std::string_view name;
  std::string_view ending;
  TraceFormat format;
};
constexpr std::array kFormats = {
    NamedFormat{"tree", ".txt", TraceFormat::tree},      NamedFormat{"dtrace", ".dtrace", TraceFormat::dtrace},
    NamedFormat{"stap", ".stap", TraceFormat::stap},     NamedFormat{"jsonl", ".jsonl", TraceFormat::jsonl},
    NamedFormat{"chrome", ".json", TraceFormat::chrome},
};
constexpr std::string_view kRecording = "ftap";
constexpr std::string_view kRecordingEnding = ".ftap";

Result<void> choose_format(const TraceWords& words, TraceRequest& request) {
  if (words.summary) {
    if (!words.format.empty()) return Error{Failure::usage, "either --summary or --format, not both", ""};
    if (words.output.ends_with(kRecordingEnding))
      return Error{Failure::usage, "a summary is a text: -o FILE.txt",
                   "without --summary, -o FILE.ftap is a recording"};
    request.format = TraceFormat::summary;
    return {};
  }
  const std::string_view name = words.format;
  const std::string_view path = words.output;
  request.ftap = name == kRecording || (name.empty() && path.ends_with(kRecordingEnding));
  if (request.ftap) {
    if (path == "-") return Error{Failure::usage, "a recording goes into a file: -o FILE.ftap", ""};
    return {};
  }
  for (const NamedFormat& format : kFormats) {
    if (name == format.name || (name.empty() && path.ends_with(format.ending))) {
      request.format = format.format;
      return {};
    }
  }
  if (!name.empty())
    return Error{Failure::usage, "no format of a trace is called '" + std::string(name) + "'",
                 "tree, dtrace, stap, jsonl, chrome or ftap"};
  return {};
}

bool wants(const TraceRequest& request, tracer::EventGroup group) {
  return std::ranges::find(request.events, group) != request.events.end();
}

// Some formats are about some events only.
Result<void> check_format(const TraceRequest& request) {
  const bool calls = wants(request, tracer::EventGroup::call);
  const bool calls_only = request.format == TraceFormat::dtrace || request.format == TraceFormat::stap;
  if (calls_only && !calls)
    return Error{Failure::usage, "the formats dtrace and stap show calls only", "--events call, or --format tree"};
  if (request.ftap && !calls && !wants(request, tracer::EventGroup::gc))
    return Error{Failure::usage, "a recording holds calls and collections only", "--events call, or -o FILE.jsonl"};
  return {};
}

Result<std::vector<tracer::EventGroup>> parse_events(const std::vector<std::string>& words) {
  std::vector<tracer::EventGroup> groups;
  for (const std::string& word : words) {
    for (std::size_t start = 0; start <= word.size();) {
      const std::size_t comma = std::min(word.find(',', start), word.size());
      const std::string name = word.substr(start, comma - start);
      const auto group = tracer::event_group_named(name);
      if (!group)
        return Error{Failure::usage, "no events are called '" + name + "'", "--events call,line,gc,import,audit"};
      if (std::ranges::find(groups, *group) == groups.end()) groups.push_back(*group);
      start = comma + 1;
    }
  }
  return groups;
}

Result<std::size_t> parse_buffer(const std::string& word) {
  const auto megabytes = parse_count("--buffer", word);
  if (!megabytes) return megabytes.error();
  if (!std::has_single_bit(*megabytes) || *megabytes > 1024)
    return Error{Failure::usage, "--buffer takes a power of two up to 1024, not " + word, "--buffer 256"};
  return *megabytes << 20;
}

// PIDs, several with commas between them, as -p takes them.
bool are_pids(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return (c >= '0' && c <= '9') || c == ','; });
}

Result<void> check_what_to_trace(const TraceWords& words, const std::vector<std::string>* command) {
  if (const auto stray = std::ranges::find_if_not(words.bare, are_pids); stray != words.bare.end()) {
    return Error{Failure::usage, "unexpected word '" + *stray + "'",
                 "flametap trace -- " + *stray + " ... to start a command; flametap trace --help"};
  }
  if (command != nullptr && command->empty()) return Error{Failure::usage, "there is no command after --", ""};
  const int ways = int{!words.pids.empty() || !words.bare.empty()} + int{words.all} + int{command != nullptr};
  if (words.top && command != nullptr)
    return Error{Failure::usage, "--top is about processes that run: -p PID, or --all", ""};
  if (ways == 0 && words.top) {
    return Error{Failure::usage, "nothing to trace: give -p PID, or --all, which slows every Python of the machine",
                 ""};
  }
  if (ways == 0) return Error{Failure::usage, "nothing to trace: give -p PID, --all or -- COMMAND", ""};
  if (ways > 1) return Error{Failure::usage, "one of -p, --all and a command after --, not several", ""};
  return {};
}

// The words that belong to one form of the command only.
Result<void> check_companions(const CLI::App& app, const TraceWords& words, bool has_command) {
  if ((words.list || given(app, "--tapset")) && (has_command || !words.pids.empty()))
    return Error{Failure::usage, "--list and --tapset say what they are about themselves: --list PID", ""};
  for (const char* const option : {"--interval", "--limit", "--batch"}) {
    if (given(app, option) && !words.top) return Error{Failure::usage, std::string(option) + " goes with --top", ""};
  }
  for (const char* const option : {"--events", "--within", "--min-duration", "--format", "--summary", "--thread"}) {
    if (given(app, option) && words.top)
      return Error{Failure::usage, std::string(option) + " does not go with --top, which counts calls", ""};
  }
  if (given(app, "--for") && !given(app, "--tapset")) return Error{Failure::usage, "--for goes with --tapset", ""};
  if (words.json && !words.list) return Error{Failure::usage, "--json goes with --list", "--format jsonl"};
  return {};
}

Result<TraceRequest> events_request(const CLI::App& app, const TraceWords& words,
                                    const std::vector<std::string>* command) {
  if (const auto checked = check_what_to_trace(words, command); !checked) return checked.error();
  TraceRequest request;
  Error error;
  std::vector<std::string> pids = words.pids;
  pids.insert(pids.end(), words.bare.begin(), words.bare.end());
  if (!take(parse_pids(pids), request.pids, error)) return error;
  if (command != nullptr) request.command = *command;
  request.all = words.all;
  if (given(app, "--events") && !take(parse_events(words.events), request.events, error)) return error;
  if (!take(Pattern::compile(words.function, "functions"), request.function, error)) return error;
  if (!take(Pattern::compile(words.file, "files"), request.file, error)) return error;
  if (!take(Pattern::compile(words.thread, "threads"), request.thread, error)) return error;
  request.within = words.within;
  if (given(app, "--within") && words.within.empty()) return Error{Failure::usage, "--within names no function", ""};
  if (given(app, "--min-duration") &&
      !take(parse_milliseconds(words.min_duration, "--min-duration"), request.min_duration, error))
    return error;
  if (given(app, "--duration") && !take(parse_seconds(words.duration), request.duration, error)) return error;
  if (!take(parse_buffer(words.buffer), request.buffer_bytes, error)) return error;
  request.top = words.top;
  request.batch = words.batch;
  if (!take(parse_seconds(words.interval, "--interval"), request.interval, error)) return error;
  if (!take(parse_count("--limit", words.limit), request.limit, error)) return error;
  request.output = words.output;
  if (const auto chosen = choose_format(words, request); !chosen) return chosen.error();
  if (const auto checked = check_format(request); !checked) return checked.error();
  return request;
}

}  // namespace

Result<AnyTraceRequest> trace_request(const CLI::App& app, const TraceWords& words,
                                      const std::vector<std::string>* command) {
  if (const auto checked = check_companions(app, words, command != nullptr); !checked) return checked.error();
  if (words.list && words.bare.size() > 1)
    return Error{Failure::usage, "unexpected word '" + words.bare[1] + "'", "flametap trace --list [PID|FILE]"};
  if (words.list) return AnyTraceRequest(ListRequest{words.bare.empty() ? "" : words.bare.front(), words.json});
  if (given(app, "--tapset")) {
    const auto language = format::tapset_language_named(words.tapset_for);
    if (!language)
      return Error{Failure::usage, "no scripts can be made for '" + words.tapset_for + "'",
                   "--for systemtap, bpftrace or dtrace"};
    return AnyTraceRequest(TapsetRequest{words.tapset, *language});
  }
  auto request = events_request(app, words, command);
  if (!request) return request.error();
  return AnyTraceRequest(std::move(*request));
}

}  // namespace flametap::cli
