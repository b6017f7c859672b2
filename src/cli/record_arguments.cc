#include "cli/record_arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "cli/arguments.h"
#include "cli/option_words.h"
#include "cli/push_target.h"
#include "format/format.h"

namespace flametap::cli {
namespace {

Result<void> check_what_to_record(const RecordWords& words, const std::vector<std::string>* command) {
  const auto is_not_a_pid = [](const std::string& word) { return !parse_pids({word}); };
  if (const auto stray = std::ranges::find_if(words.bare, is_not_a_pid); stray != words.bare.end()) {
    if (std::ranges::all_of(*stray, [](unsigned char letter) { return std::isdigit(letter) != 0; })) {
      return parse_pids({*stray}).error();
    }
    return Error{Failure::usage, "unexpected word '" + *stray + "'",
                 "flametap record -- " + *stray + " ... to start a command; flametap record --help"};
  }
  const bool has_pids = !words.pids.empty() || !words.bare.empty();
  if (command != nullptr && has_pids) return Error{Failure::usage, "either -p or a command after --, not both", ""};
  if (command != nullptr && command->empty()) return Error{Failure::usage, "there is no command after --", ""};
  if (command == nullptr && !has_pids) return Error{Failure::usage, "nothing to record: give -p PID or -- COMMAND", ""};
  return {};
}

}  // namespace

void add_record_options(CLI::App& command, RecordWords& words) {
  RecordRequest& request = words.request;
  command.add_option("-p,--pid", words.pids, "The processes, which may be several")->type_name("PID");
  command.add_option("-d,--duration", words.duration, "End after so many seconds")->type_name("SECS");
  command.add_option("-r,--rate", words.rate, "Samples per second, or max [1000]")->type_name("HZ");
  command.add_option("-o,--output", request.output, "Where to write; - is standard output")->type_name("FILE");
  command.add_option("-f,--format", request.format, format::known_formats() + " [by FILE's ending, else html]")
      ->type_name("FORMAT");
  command.add_option("--mode", words.mode, "wall, cpu, gil or ready [cpu]; html, json and ftap keep all")
      ->type_name("MODE");
  add_native_options(command, words.native);
  command.add_flag("--by-thread", request.by_thread, "Give each thread a root of its own");
  command.add_flag("--children", request.children, "Also the Python processes that they start, to any depth");
  command.add_flag("--no-interrupt", words.no_interrupt,
                   "Never interrupt the CPU of a thread, even with the right to; ride along instead");
  command.add_flag("--no-pause", words.no_pause, "Never stop a thread; count what is lost by that as torn");
  command.add_flag("--no-lines", words.no_lines, "One frame per function, whatever the line");
  command.add_flag("--serve{0}", words.serve_port, "Show it in a browser while it grows [=PORT]");
  command.add_flag("--sources", request.sources, "Keep the program's source files in html, json and ftap");
  command.add_option("--push", words.push, "Send it to a flametap server; a file only with -o, or if that fails")
      ->type_name("URL");
  command.add_option("--token-file", words.token_file, "The token that the server wants [$FLAMETAP_TOKEN]")
      ->type_name("FILE");
  command.add_option("--stats", request.stats, "Write how the recording went, as JSON")->type_name("FILE");
  command.add_option("--cpu", words.cpu, "The CPU to sample from [any]")->type_name("N");
  command.add_option("PID", words.bare)->group("");  // hidden: the usage shows it, and the help of -p says what it is
}

Result<RecordRequest> record_request(const CLI::App& app, const RecordWords& words,
                                     const std::vector<std::string>* command) {
  if (const auto checked = check_what_to_record(words, command); !checked) return checked.error();
  RecordRequest request = words.request;
  Error error;
  std::vector<std::string> pids = words.pids;
  pids.insert(pids.end(), words.bare.begin(), words.bare.end());
  if (!take(parse_pids(pids), request.pids, error)) return error;
  if (!take(parse_rate(words.rate), request.rate_hz, error)) return error;
  if (given(app, "--duration") && !take(parse_seconds(words.duration), request.duration, error)) return error;
  if (given(app, "--cpu") && !take(parse_cpu(words.cpu), request.cpu, error)) return error;
  if (given(app, "--mode") && !take(parse_mode(words.mode), request.mode, error)) return error;
  if (given(app, "--token-file") && !given(app, "--push"))
    return Error{Failure::usage, "--token-file goes with --push", ""};
  if (given(app, "--push")) {
    if (!request.format.empty() && request.output.empty())
      return Error{Failure::usage, "with --push, -f is for the file of -o", ""};
    if (!take(parse_push_target(words.push, words.token_file), request.push, error)) return error;
  }
  if (given(app, "--serve") && !take(parse_port("--serve", words.serve_port), request.serve_port, error)) return error;
  if (command != nullptr) request.command = *command;
  if (!take(native_options(app, words.native), request.native, error)) return error;
  if (request.native && words.no_pause)
    return Error{Failure::usage, "a C stack can be read only while its thread is stopped: --native or --no-pause", ""};
  request.interrupt = !words.no_interrupt;
  request.pause = !words.no_pause;
  request.lines = !words.no_lines;
  return request;
}

}  // namespace flametap::cli
