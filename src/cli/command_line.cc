#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/diagnostics.h"
#include "cli/diff_command.h"
#include "cli/doctor_command.h"
#include "cli/dump_command.h"
#include "cli/native_arguments.h"
#include "cli/nearest_word.h"
#include "cli/option_words.h"
#include "cli/pyflame_command.h"
#include "cli/record_arguments.h"
#include "cli/report_command.h"
#include "cli/serve_arguments.h"
#include "cli/tapset_command.h"
#include "cli/trace_arguments.h"
#include "cli/trace_command.h"
#include "cli/trace_list.h"
#include "format/format.h"

namespace flametap::cli {
namespace {

constexpr const char* kMainUsage = "flametap COMMAND [OPTIONS]";
constexpr const char* kMainFooter = R"(Start here:
  flametap record -p PID                 watch a running program until Ctrl-C; gives a page to look at
  flametap record -- python3 prog.py     start a program and watch all of it
  flametap dump -p PID                   what is it doing right now?
  flametap trace -p PID                  every call, as it happens

`flametap COMMAND --help` has more examples.)";

constexpr const char* kRecordUsage =
    "flametap record PID... [OPTIONS]\n"
    "       flametap record [OPTIONS] -- COMMAND [ARGUMENTS]";
constexpr const char* kRecordFooter = R"(Examples:
  flametap record -p 1234                      until Ctrl-C; a page in the current folder
  flametap record -p 1234 -d 10 -o shop.svg    for ten seconds
  flametap record -p 1234 -p 1235 --by-thread  two processes, each thread apart
  flametap record -o run.json -- python3 a.py  a whole run, everything kept: see `flametap report`
  flametap record -p 1234 --mode wall          what it waits for, too
  flametap record -p 1234 --native             the C and C++ functions below Python, too

Modes: cpu shows threads that run or hold the GIL, gil only those that hold it, wall all of them all the time.
With `--` the exit code is the command's own. Otherwise: 0 done, 1 failed, 2 usage, 3 not permitted, 4 no such
process, 5 not a Python process.)";

constexpr const char* kDumpUsage = "flametap dump PID [--native] [--json]";
constexpr const char* kDumpFooter = R"(Examples:
  flametap dump -p 1234           every thread's stack, the innermost call first
  flametap dump -p 1234 --native  the C and C++ functions below Python, too
  flametap dump -p 1234 --json    for programs)";

constexpr const char* kReportUsage = "flametap report FILE... [OPTIONS]";
constexpr const char* kReportFooter = R"(Examples:
  flametap report run.json                    the hottest functions
  flametap report run.json -o run.svg         a flame graph
  flametap report run.json --mode gil -f folded -o -
  flametap report run.json --thread Worker --limit 50
  flametap report before.json after.json      both as one
  flametap report all.json --process gunicorn -o web.svg

Reads ftap, json, html of its own, folded (also of Pyflame, py-spy, Austin and perf), speedscope and pprof, compressed with gzip or not.
`-` is standard input.)";

constexpr const char* kDiffUsage = "flametap diff BEFORE AFTER [OPTIONS]";
constexpr const char* kDiffFooter = R"(Examples:
  flametap diff old.html new.html               the functions whose share of the time changed most
  flametap diff old.html new.html -o diff.html  both in one page, to look at
  flametap diff old.html new.html --mode wall   with the time that they waited
  flametap diff old.html new.html -f folded     `stack BEFORE AFTER`, at one scale, for other programs

Reads what `flametap report` reads. Each recording is taken as a whole of its own: they need not be of one length.)";

constexpr const char* kDoctorUsage = "flametap doctor [PID] [--json]";
constexpr const char* kDoctorFooter = R"(Examples:
  flametap doctor          what this machine allows
  flametap doctor 1234     and whether, and how, that process can be read
  flametap doctor --json   the same for programs

Exit codes with a PID: 0 it can be read, 3 not permitted, 4 no such process, 5 not a Python process.)";

constexpr const char* kServeUsage = "flametap serve [OPTIONS]";
constexpr const char* kServeFooter = R"(Examples:
  flametap serve                                        for this machine, on http://127.0.0.1:8040/
  flametap serve --allow-record                         and record its processes from the browser
  flametap serve --listen 0.0.0.0:8040 --token-file T   for others, who need the token in the file T
  curl --data-binary @run.ftap http://127.0.0.1:8040/api/profiles

Ends in order with Ctrl-C. What was uploaded stays, whatever happens.)";

// Usage lines as people write them, where CLI11 would say [OPTIONS].
class HelpText : public CLI::Formatter {
 public:
  explicit HelpText(std::string usage) : usage_(std::move(usage)) {
    column_width(26);
    label("Subcommands", "Commands");
  }
  std::string make_usage(const CLI::App*, std::string) const override { return "Usage: " + usage_ + "\n"; }
  // Without the value that a flag stands for, `--native{short}`: it is not for people.
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    const std::string name = CLI::Formatter::make_option_name(option, is_positional);
    return name.substr(0, name.find('{'));
  }

 private:
  std::string usage_;
};

CLI::App& add_command(CLI::App& app, const char* name, const char* description, const char* usage, const char* footer) {
  CLI::App& command = *app.add_subcommand(name, description);
  command.formatter(std::make_shared<HelpText>(usage));
  command.footer(footer);
  return command;
}

// The words of options, as they were typed. What they mean is said by arguments.h, which has the better messages.
struct Words {
  std::string pid;
  std::string bare_pid;
  std::string mode;
  std::string limit = "20";
  bool no_lines = false;
  RecordWords record;
  NativeWords native;  // of dump
  DumpRequest dump;
  DoctorRequest doctor;
  ReportRequest report;
  DiffRequest diff;
  TraceWords trace;
  ServeWords serve;
};

CLI::App& add_record(CLI::App& app, Words& words) {
  CLI::App& command = add_command(app, "record", "Sample running processes, or a command, and draw where the time goes",
                                  kRecordUsage, kRecordFooter);
  add_record_options(command, words.record);
  return command;
}

CLI::App& add_dump(CLI::App& app, Words& words) {
  CLI::App& command =
      add_command(app, "dump", "Show what every thread of a process is doing right now", kDumpUsage, kDumpFooter);
  command.add_option("-p,--pid", words.pid, "The process")->type_name("PID");
  command.add_option("PID", words.bare_pid)->group("");  // hidden: the usage shows it
  add_native_options(command, words.native);
  command.add_flag("--json", words.dump.json, "For programs");
  return command;
}

CLI::App& add_report(CLI::App& app, Words& words) {
  CLI::App& command = add_command(app, "report", "Show the hottest functions of recordings, or convert them",
                                  kReportUsage, kReportFooter);
  ReportRequest& request = words.report;
  command.add_option("FILE", request.files, "Recordings; several are merged")->required();
  command.add_option("-f,--format", request.format, format::known_formats())->type_name("FORMAT");
  command.add_option("-o,--output", request.output, "Where to write; - is standard output")->type_name("FILE");
  command.add_option("--mode", words.mode, "wall, cpu, gil or ready [cpu, where it was recorded]")->type_name("MODE");
  command.add_option("--process", request.process, "Only processes whose command or pid matches")->type_name("REGEX");
  command.add_option("--thread", request.thread, "Only threads whose name or id matches")->type_name("REGEX");
  command.add_flag("--by-thread", request.by_thread, "Give each thread a root of its own");
  command.add_flag("--no-lines", words.no_lines, "One frame per function, whatever the line");
  command.add_option("--limit", words.limit, "How many functions to show [20]")->type_name("N");
  return command;
}

CLI::App& add_diff(CLI::App& app, Words& words) {
  CLI::App& command =
      add_command(app, "diff", "Show what changed from one recording to another", kDiffUsage, kDiffFooter);
  DiffRequest& request = words.diff;
  command.add_option("BEFORE", request.before, "The one recording; - is standard input")->required();
  command.add_option("AFTER", request.after, "The other one")->required();
  command.add_option("-f,--format", request.format, "html or folded")->type_name("FORMAT");
  command.add_option("-o,--output", request.output, "Where to write; - is standard output")->type_name("FILE");
  command.add_option("--mode", words.mode, "wall, cpu, gil or ready [cpu, where it was recorded]")->type_name("MODE");
  command.add_option("--limit", words.limit, "How many functions to show [20]")->type_name("N");
  return command;
}

CLI::App& add_trace(CLI::App& app, Words& words) {
  CLI::App& command = add_command(app, "trace", "Follow calls, lines, garbage collections, imports and audit events",
                                  kTraceUsage, kTraceFooter);
  add_trace_options(command, words.trace);
  return command;
}

CLI::App& add_serve(CLI::App& app, Words& words) {
  CLI::App& command = add_command(app, "serve", "Keep profiles and show them in a browser", kServeUsage, kServeFooter);
  add_serve_options(command, words.serve);
  return command;
}

CLI::App& add_doctor(CLI::App& app, Words& words) {
  CLI::App& command =
      add_command(app, "doctor", "Say what works on this machine and for a process", kDoctorUsage, kDoctorFooter);
  command.add_option("PID", words.pid, "The process");
  command.add_flag("--json", words.doctor.json, "For programs");
  return command;
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string did_you_mean(const std::string& typed, const std::vector<std::string>& known) {
  const std::string nearest = nearest_word(typed, known);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

// As people ask elsewhere: `help`, `help COMMAND` and `version`.
std::vector<std::string> with_options_for_words(std::vector<std::string> arguments) {
  if (arguments.size() == 1 && arguments.front() == "version") return {"--version"};
  if (arguments.empty() || arguments.front() != "help") return arguments;
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
  return arguments;
}

// Nothing: not asked for.
Result<ReportRequest> report_request(const CLI::App& app, const Words& words) {
  ReportRequest request = words.report;
  Error error;
  if (given(app, "--mode") && !take(parse_mode(words.mode), request.mode, error)) return error;
  if (!take(parse_count("--limit", words.limit), request.limit, error)) return error;
  request.lines = !words.no_lines;
  return request;
}

Result<DiffRequest> diff_request(const CLI::App& app, const Words& words) {
  DiffRequest request = words.diff;
  Error error;
  if (given(app, "--mode") && !take(parse_mode(words.mode), request.mode, error)) return error;
  if (!take(parse_count("--limit", words.limit), request.limit, error)) return error;
  if (request.before == "-" && request.after == "-")
    return Error{Failure::usage, "only one of the recordings can come from standard input", ""};
  return request;
}

// What is no fault of the words keeps its own code: a file that they name and that cannot be read.
int usage_error(const Error& error, const std::string& command) {
  if (error.kind != Failure::usage) return fail(error);
  const std::string help = "flametap " + command + (command.empty() ? "--help" : " --help");
  return fail({Failure::usage, error.message, error.remedy.empty() ? help : error.remedy});
}

int run_record(const CLI::App& app, const Words& words, const std::vector<std::string>* command) {
  const auto request = record_request(app, words.record, command);
  return request ? record(*request) : usage_error(request.error(), "record");
}

int run_dump(const CLI::App& app, Words& words) {
  if (given(app, "--pid") == given(app, "PID"))
    return usage_error({Failure::usage, "give one PID: flametap dump PID", ""}, "dump");
  const auto pid = parse_pid(words.pid + words.bare_pid);
  if (!pid) return usage_error(pid.error(), "dump");
  const auto native = native_options(app, words.native);
  if (!native) return usage_error(native.error(), "dump");
  words.dump.native = *native;
  words.dump.pid = *pid;
  return dump(words.dump);
}

int run_report(const CLI::App& app, const Words& words) {
  const auto request = report_request(app, words);
  return request ? report(*request) : usage_error(request.error(), "report");
}

int run_diff(const CLI::App& app, const Words& words) {
  const auto request = diff_request(app, words);
  return request ? diff(*request) : usage_error(request.error(), "diff");
}

int run_trace(const CLI::App& app, const Words& words, const std::vector<std::string>* command) {
  const auto request = trace_request(app, words.trace, command);
  if (!request) return usage_error(request.error(), "trace");
  if (const auto* const list = std::get_if<ListRequest>(&*request)) return list_markers(list->what, list->json);
  if (const auto* const tapset = std::get_if<TapsetRequest>(&*request))
    return print_tapset(tapset->what, tapset->language);
  return trace(std::get<TraceRequest>(*request));
}

int run_serve(const Words& words) {
  const auto request = serve_request(words.serve);
  return request ? serve(*request) : usage_error(request.error(), "serve");
}

int run_doctor(const CLI::App& app, Words& words) {
  if (!given(app, "PID")) return doctor(words.doctor);
  const auto pid = parse_pid(words.pid);
  if (!pid) return usage_error(pid.error(), "doctor");
  words.doctor.pid = *pid;
  return doctor(words.doctor);
}

// Help and version are answers; everything else that CLI11 throws is a wrong command line.
int answer(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  std::string message = error.what();
  const auto is_upper = [&](std::size_t i) { return i < message.size() && message[i] >= 'A' && message[i] <= 'Z'; };
  // FILE stays FILE.
  if (is_upper(0) && !is_upper(1)) message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
  const auto commands = app.get_subcommands();
  const CLI::App& command = commands.empty() ? app : *commands.front();
  const std::vector<std::string> unknown = command.remaining();
  if (!unknown.empty()) {
    const std::string typed = unknown.front().substr(0, unknown.front().find('='));
    message = typed.starts_with('-') ? "there is no option " + typed + did_you_mean(typed, options_of(command))
                                     : "unexpected word '" + typed + "'";
  }
  return usage_error({Failure::usage, message, ""}, commands.empty() ? "" : command.get_name());
}

int run_flametap(std::vector<std::string> arguments) {
  // Split here rather than by the library: whatever stands after `--` is the command's, to the letter.
  const auto dashes = std::ranges::find(arguments, "--");
  const bool has_command = dashes != arguments.end();
  const std::vector<std::string> command(has_command ? dashes + 1 : dashes, arguments.end());
  arguments.erase(dashes, arguments.end());

  CLI::App app("Shows where any running Python program spends its time, from outside.", "flametap");
  app.formatter(std::make_shared<HelpText>(kMainUsage));
  app.footer(kMainFooter);
  app.set_version_flag("-V,--version", "flametap " FLAMETAP_VERSION);
  app.require_subcommand(1);
  Words words;
  const CLI::App& record_app = add_record(app, words);
  const CLI::App& dump_app = add_dump(app, words);
  const CLI::App& report_app = add_report(app, words);
  const CLI::App& diff_app = add_diff(app, words);
  const CLI::App& trace_app = add_trace(app, words);
  const CLI::App& serve_app = add_serve(app, words);
  add_doctor(app, words);
  if (arguments.empty()) {
    fmt::print(stderr, "{}", app.help());
    return static_cast<int>(Failure::usage);
  }
  arguments = with_options_for_words(std::move(arguments));
  const std::string& first = arguments.front();
  const std::vector<std::string> commands = commands_of(app);
  if (!first.starts_with('-') && std::ranges::find(commands, first) == commands.end()) {
    return usage_error({Failure::usage, "no command is called '" + first + "'" + did_you_mean(first, commands), ""},
                       "");
  }
  std::ranges::reverse(arguments);  // as the library wants them
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return answer(app, error);
  }
  const CLI::App& asked = *app.get_subcommands().front();
  if (&asked == &record_app) return run_record(asked, words, has_command ? &command : nullptr);
  if (&asked == &trace_app) return run_trace(asked, words, has_command ? &command : nullptr);
  if (has_command) return usage_error({Failure::usage, "only record and trace start a command", ""}, asked.get_name());
  if (&asked == &dump_app) return run_dump(asked, words);
  if (&asked == &report_app) return run_report(asked, words);
  if (&asked == &diff_app) return run_diff(asked, words);
  if (&asked == &serve_app) return run_serve(words);
  return run_doctor(asked, words);
}

}  // namespace

int run(int argc, char** argv) {
  const std::string_view name = argc > 0 ? argv[0] : "";
  if (name.substr(name.rfind('/') + 1) == "pyflame") return pyflame(argc, argv);
  return run_flametap({argv + std::min(argc, 1), argv + argc});
}

}  // namespace flametap::cli
