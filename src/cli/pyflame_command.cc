#include "cli/pyflame_command.h"

#include <fmt/format.h>
#include <getopt.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/arguments.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/python_search.h"
#include "cli/signals.h"
#include "cli/thread_dump.h"
#include "format/output_file.h"
#include "format/text.h"
#include "sampler/cpu_seat.h"
#include "sampler/process_sampler.h"
#include "sampler/profile_builder.h"
#include "sampler/recorder.h"

namespace flametap::cli {
namespace {

constexpr int kFailed = 1;  // the only code besides 0 that Pyflame has
constexpr double kShortestInterval = 1.0 / kMaxRateHz;

constexpr const char* kUsage = R"(Usage: pyflame [options] [-p] PID
       pyflame [options] -t command arg1 arg2...

  -d, --dump               Show the stacks of all threads once
  -h, --help               Show this help
  -n, --no-line-numbers    Leave out line numbers
  -o, --output=PATH        Write to this file (default: standard output)
  -p, --pid=PID            The process to sample
  -r, --rate=INTERVAL      Seconds between two samples, such as 0.001 (default: 0.01)
  -s, --seconds=SECS       How long to sample (default: 1); 0 is one sample, negative until it exits
  -t, --trace              Start a command and sample it until it exits; must come last
  -v, --version            Show the version
  -x, --exclude-idle       Leave out samples in which nobody holds the GIL
      --threads            Sample all threads, not only the one that holds the GIL

This is flametap under its old name; see also: flametap --help
)";

struct Request {
  std::optional<pid_t> pid;
  std::vector<std::string> command;
  double seconds = 1;
  double interval = 0.01;
  std::string output = "-";
  bool trace = false;
  bool dump = false;
  bool threads = false;
  bool exclude_idle = false;
  bool line_numbers = true;
};

// What stands on the command line: a request, or the exit code of what has been answered already.
using Parsed = std::variant<Request, int>;

int complain(const std::string& line) {
  fmt::print(stderr, "{}\n", line);
  return kFailed;
}

int complain(const Error& error) {
  return complain(error.message + (error.remedy.empty() ? "" : "\n  try: " + error.remedy));
}

int complain_with_usage(const std::string& line = "") {
  fmt::print(stderr, "{}{}{}", line, line.empty() ? "" : "\n", kUsage);
  return kFailed;
}

std::string version() {
  utsname names{};
  ::uname(&names);
  return fmt::format("pyflame 1.6.6 linux {} (ABI list: 27 36 37 38 39 310 311 312 313 314 315)", names.machine);
}

std::optional<double> parse_number(const char* word) {
  char* end = nullptr;
  const double number = std::strtod(word, &end);
  if (end == word || *end != '\0' || !(number > -1e9 && number < 1e9)) return std::nullopt;
  return number;
}

enum LongOnly { kThreads = 1000, kFlamechart, kAbi };

constexpr option kLongOptions[] = {
    {"abi", required_argument, nullptr, kAbi},   {"dump", no_argument, nullptr, 'd'},
    {"exclude-idle", no_argument, nullptr, 'x'}, {"flamechart", no_argument, nullptr, kFlamechart},
    {"help", no_argument, nullptr, 'h'},         {"no-line-numbers", no_argument, nullptr, 'n'},
    {"output", required_argument, nullptr, 'o'}, {"pid", required_argument, nullptr, 'p'},
    {"rate", required_argument, nullptr, 'r'},   {"seconds", required_argument, nullptr, 's'},
    {"threads", no_argument, nullptr, kThreads}, {"trace", no_argument, nullptr, 't'},
    {"version", no_argument, nullptr, 'v'},      {nullptr, 0, nullptr, 0}};

// One option; an exit code if that is all that is to be done.
std::optional<int> take_option(int letter, const char* value, Request& request) {
  switch (letter) {
    case 'd':
      request.dump = true;
      return std::nullopt;
    case 'x':
      request.exclude_idle = true;
      return std::nullopt;
    case 'n':
      request.line_numbers = false;
      return std::nullopt;
    case 'o':
      request.output = value;
      return std::nullopt;
    case 't':
      request.trace = true;
      return std::nullopt;
    case kThreads:
      request.threads = true;
      return std::nullopt;
    case 'p': {
      const auto pid = parse_pid(value);
      if (!pid) return complain(fmt::format("Error: failed to parse \"{}\" as a PID.", value));
      request.pid = *pid;
      return std::nullopt;
    }
    case 's':
    case 'r': {
      const auto number = parse_number(value);
      if (!number) return complain(fmt::format("Error: failed to parse \"{}\" as a number of seconds.", value));
      (letter == 's' ? request.seconds : request.interval) = *number;
      return std::nullopt;
    }
    case 'h':
      fmt::print("{}\n\n{}", version(), kUsage);
      return 0;
    case 'v':
      fmt::print("{}\n", version());
      return 0;
    case kFlamechart:
      return complain("Error: --flamechart is not there yet; try: flametap record -f speedscope -p PID");
    case kAbi:
      return complain("Error: --abi is not needed: the version of Python is always detected. Leave it out.");
    default:
      return complain_with_usage();  // getopt has said what is wrong
  }
}

std::optional<int> take_rest(int argc, char** argv, int first, Request& request) {
  if (request.trace) {
    if (request.dump) return complain("Options -t and -d are not mutually compatible.");
    if (request.pid) return complain("Options -t and -p are not mutually compatible.");
    request.command.assign(argv + first, argv + argc);
    if (request.command.empty()) return complain_with_usage("Option -t requires a command to run.");
    request.seconds = -1;
    return std::nullopt;
  }
  if (request.pid && first < argc) return complain_with_usage();
  if (request.pid) return std::nullopt;
  if (argc - first != 1) return complain_with_usage();
  const auto pid = parse_pid(argv[first]);
  if (!pid) return complain(fmt::format("Error: failed to parse \"{}\" as a PID.", argv[first]));
  request.pid = *pid;
  complain("WARNING: Specifying a PID to trace without -p is deprecated; see Pyflame issue #99 for details.");
  return std::nullopt;
}

Parsed parse(int argc, char** argv) {
  Request request;
  // Parsing ends at -t: what follows is the command's.
  while (!request.trace) {
    const int letter = ::getopt_long(argc, argv, "dhno:p:r:s:tvx", kLongOptions, nullptr);
    if (letter < 0) break;
    if (const auto code = take_option(letter, optarg, request)) return *code;
  }
  if (const auto code = take_rest(argc, argv, optind, request)) return *code;
  if (request.interval < 0) return complain("Error: the interval of -r must not be negative.");
  return request;
}

std::string frame_text(std::string_view file, std::string_view name, std::int32_t line, bool line_numbers) {
  // A line of output is a stack, whatever stands in a name.
  const std::string text = fmt::format("{}:{}", format::clean(file), format::clean(name));
  return line_numbers ? fmt::format("{}:{}", text, line) : text;
}

// The root first; our own markers are no frames. Empty if there is no frame.
std::string stack_text(const profile::Profile& profile, profile::StackId stack, bool line_numbers) {
  std::string text;
  for (const profile::FrameId id : profile.frames_of(stack)) {
    const profile::Frame& frame = profile.frame(id);
    if (profile.function(frame.function).kind == profile::FrameKind::marker) continue;
    text += (text.empty() ? "" : ";") + frame_text(profile.file(id), profile.name(id), frame.line, line_numbers);
  }
  return text;
}

std::string collapsed(const Request& request, const profile::Profile& all) {
  std::map<std::string, std::uint64_t> stacks;
  std::uint64_t shown = 0;
  for (const profile::Sample& sample : all.samples()) {
    if (!request.threads && (sample.state & stack::kHoldsGil) == 0) continue;
    const std::string stack = stack_text(all, sample.stack, request.line_numbers);
    if (stack.empty()) continue;
    stacks[stack] += sample.ticks;
    shown += sample.ticks;
  }
  const profile::Quality& quality = all.recording.quality;
  const std::uint64_t failed = quality.torn + quality.unreadable;
  const std::uint64_t idle = request.threads ? 0 : quality.ticks - std::min(quality.ticks, shown + failed);
  std::string text;
  if (idle > 0 && !request.exclude_idle) text += fmt::format("(idle) {}\n", idle);
  if (failed > 0) text += fmt::format("(failed) {}\n", failed);
  for (const auto& [stack, count] : stacks) text += fmt::format("{} {}\n", stack, count);
  return text;
}

int write_text(const Request& request, const std::string& text) {
  const auto written = format::write_output(request.output, text);
  return written ? 0 : complain(written.error());
}

int dump_threads(const Request& request) {
  const auto dump = take_dump(*request.pid);
  if (!dump) return complain(dump.error());
  std::string text;
  for (const DumpedThread& thread : dump->threads) {
    if (!text.empty()) text += "\n";
    text += fmt::format("{}{}:\n", thread.ident, thread.holds_gil ? "*" : "");
    for (const DumpedFrame& frame : thread.frames) text += frame_text(frame.file, frame.name, frame.line, true) + "\n";
  }
  return write_text(request, text);
}

profile::Profile sample_once(sampler::ProcessSampler& process, sampler::CpuSeat& seat) {
  sampler::ProfileBuilder builder;
  const std::size_t number = builder.add_process(process);
  builder.count_tick(0);
  static_cast<void>(
      process.sample(seat, [&](const sampler::ThreadSample& sample) { builder.add(number, process, sample, 0, 0); }));
  return builder.take();
}

sampler::Recorder make_recorder(const Request& request, sampler::CpuSeat seat) {
  sampler::Recorder::Options options;
  options.rate_hz = 1 / std::max(request.interval, kShortestInterval);
  if (request.seconds > 0) options.duration = static_cast<Nanoseconds>(request.seconds * static_cast<double>(kSecond));
  options.seed = monotonic_now();
  return {options, std::move(seat)};
}

int sample_process(const Request& request) {
  auto seat = sampler::CpuSeat::take(std::nullopt);
  if (!seat) return complain(seat.error());
  const Signals signals;
  auto process = sampler::ProcessSampler::attach(*request.pid, {});
  if (!process) return complain(process.error());
  if (request.seconds == 0) return write_text(request, collapsed(request, sample_once(**process, *seat)));
  sampler::Recorder recorder = make_recorder(request, std::move(*seat));
  recorder.add(std::move(*process));
  sampler::Progress progress;
  return write_text(request, collapsed(request, recorder.run(signals.stop(), progress)));
}

int trace_command(const Request& request) {
  Signals signals;
  auto started = Launched::start(request.command, signals);
  if (const auto* const failed = std::get_if<Launched::Failed>(&started)) return complain(failed->error);
  Launched& command = std::get<Launched>(started);
  auto seat = sampler::CpuSeat::take(std::nullopt);  // only now: the command would inherit it
  if (!seat) return complain(seat.error());
  PythonSearch search(command, signals.stop(), {});
  auto python = search.find(std::nullopt);
  if (!python) {
    const int status = command.wait();
    if (search.denied()) return complain(*search.denied());
    return complain(fmt::format("No Python was found in {}. Child process exited with status: {}",
                                request.command.front(), status));
  }
  const profile::Profile all = [&] {
    sampler::Recorder recorder = make_recorder(request, std::move(*seat));
    recorder.add(std::move(python));
    recorder.set_successor([&](pid_t, sampler::Fate) { return search.find(std::nullopt); });
    sampler::Progress progress;
    return recorder.run(signals.stop(), progress);
  }();
  const int code = write_text(request, collapsed(request, all));
  command.wait();
  return code;
}

}  // namespace

int pyflame(int argc, char** argv) {
  const Parsed parsed = parse(argc, argv);
  if (const int* const code = std::get_if<int>(&parsed)) return *code;
  const Request& request = std::get<Request>(parsed);
  if (const auto writable = check_writable(request.output); !writable) {
    return complain(fmt::format("cannot open file \"{}\" as output: {}", request.output, writable.error().message));
  }
  if (request.dump) return dump_threads(request);
  return request.trace ? trace_command(request) : sample_process(request);
}

}  // namespace flametap::cli
