#include "cli/pyflame_options.h"

#include <fmt/format.h>
#include <getopt.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "cli/arguments.h"

namespace flametap::cli {
namespace {

constexpr double kShortestIntervalUs = 1e6 / kMaxRateHz;
constexpr std::string_view kWarning =
    "WARNING: Specifying a PID to trace without -p is deprecated; see Pyflame issue #99 for details.\n";

// Of CPython versions that can be sampled, and those that Pyflame knew besides.
constexpr std::array<std::string_view, 11> kAbis = {"27",  "36",  "37",  "38",  "39", "310",
                                                    "311", "312", "313", "314", "315"};
constexpr std::array<std::string_view, 3> kFormerAbis = {"26", "34", "35"};

constexpr std::string_view kUsage = R"(Usage: pyflame [options] [-p] PID
       pyflame [options] -t command arg1 arg2...

  -c, --profile-c-stack    C and C++ functions, too (also --native)
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
      --abi=N              Accepted and not needed: the version of Python is always detected
      --flamechart         Every sample with its time, instead of counts
      --threads            Sample all threads, not only the one that holds the GIL

This is flametap )" FLAMETAP_VERSION R"( under its old name; see also: flametap --help
)";

enum LongOnly { kAbi = 1000, kFlamechart, kThreads };
constexpr int kPositional = 1;  // as getopt says it
constexpr int kMissingValue = ':';

constexpr option kLongOptions[] = {{"abi", required_argument, nullptr, kAbi},
                                   {"dump", no_argument, nullptr, 'd'},
                                   {"exclude-idle", no_argument, nullptr, 'x'},
                                   {"flamechart", no_argument, nullptr, kFlamechart},
                                   {"help", no_argument, nullptr, 'h'},
                                   {"native", no_argument, nullptr, 'c'},
                                   {"no-line-numbers", no_argument, nullptr, 'n'},
                                   {"output", required_argument, nullptr, 'o'},
                                   {"pid", required_argument, nullptr, 'p'},
                                   {"profile-c-stack", no_argument, nullptr, 'c'},
                                   {"rate", required_argument, nullptr, 'r'},
                                   {"seconds", required_argument, nullptr, 's'},
                                   {"threads", no_argument, nullptr, kThreads},
                                   {"trace", no_argument, nullptr, 't'},
                                   {"version", no_argument, nullptr, 'v'},
                                   {nullptr, 0, nullptr, 0}};

PyflameAnswer refuse(std::string_view line) { return {kPyflameFailed, fmt::format("{}\n", line)}; }

PyflameAnswer show_usage(std::string_view line = "") {
  return {kPyflameFailed, fmt::format("{}{}{}", line, line.empty() ? "" : "\n", kUsage)};
}

std::string version() {
  utsname names{};
  ::uname(&names);
  return fmt::format("pyflame 1.6.6 linux-gnu {} (ABI list: {})", names.machine, fmt::join(kAbis, " "));
}

std::optional<double> parse_number(const std::string& word) {
  char* end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  if (end == word.c_str() || *end != '\0' || !(std::abs(number) <= kMaxSeconds)) return std::nullopt;
  return number;
}

// The words of one command line, on their way to be options.
class Parser {
 public:
  explicit Parser(std::vector<std::string> words) : words_(std::move(words)) {
    for (std::string& word : words_) arguments_.push_back(word.data());
    arguments_.push_back(nullptr);
  }

  std::variant<PyflameOptions, PyflameAnswer> parse() {
    if (auto answer = take_options()) return *std::move(answer);
    if (auto answer = trace_ ? take_command() : take_process()) return *std::move(answer);
    return std::move(options_);
  }

 private:
  using MaybeAnswer = std::optional<PyflameAnswer>;

  MaybeAnswer take_options();
  MaybeAnswer take_option(int letter, const std::string& value);
  MaybeAnswer take_pid(const std::string& word);
  MaybeAnswer take_seconds(const std::string& word);
  MaybeAnswer take_interval(const std::string& word);
  MaybeAnswer take_command();
  MaybeAnswer take_process();
  [[nodiscard]] PyflameAnswer explain_option(int letter) const;

  std::vector<std::string> words_;
  std::vector<char*> arguments_;
  std::vector<std::string> positional_;
  bool trace_ = false;
  PyflameOptions options_;
};

// Pyflame's own parser, so that `--sec=3`, `-xs0` and `1234 -s 0` are what they were; but the messages are ours.
Parser::MaybeAnswer Parser::take_options() {
  optind = 0;  // begin anew
  opterr = 0;
  const int count = static_cast<int>(words_.size());
  // Parsing ends at -t: what follows is the command's.
  while (!trace_) {
    const int letter = ::getopt_long(count, arguments_.data(), "-:cdhno:p:r:s:tvx", kLongOptions, nullptr);
    if (letter < 0) break;
    if (auto answer = take_option(letter, optarg == nullptr ? "" : optarg)) return answer;
  }
  auto& rest = trace_ ? options_.command : positional_;
  for (int i = std::max(optind, 1); i < count; ++i) rest.emplace_back(arguments_[static_cast<std::size_t>(i)]);
  return std::nullopt;
}

Parser::MaybeAnswer Parser::take_option(int letter, const std::string& value) {
  switch (letter) {
    case kPositional:
      positional_.push_back(value);
      break;
    case 'd':
      options_.dump = true;
      break;
    case 'x':
      options_.exclude_idle = true;
      break;
    case 'n':
      options_.line_numbers = false;
      break;
    case 'o':
      options_.output = value;
      break;
    case 't':
      trace_ = true;
      break;
    case kThreads:
      options_.threads = true;
      break;
    case kFlamechart:
      options_.flamechart = true;
      break;
    case 'p':
      return take_pid(value);
    case 's':
      return take_seconds(value);
    case 'r':
      return take_interval(value);
    case kAbi:
      if (std::ranges::find(kAbis, value) == kAbis.end() && std::ranges::find(kFormerAbis, value) == kFormerAbis.end())
        return refuse(fmt::format("Unknown or unsupported ABI version: {}", value));
      break;
    case 'c':
      options_.c_stack = true;
      break;
    case 'h':
      return PyflameAnswer{0, fmt::format("{}\n\n{}", version(), kUsage)};
    case 'v':
      return PyflameAnswer{0, version() + "\n"};
    default:
      return explain_option(letter);
  }
  return std::nullopt;
}

PyflameAnswer Parser::explain_option(int letter) const {
  const std::string last = arguments_[static_cast<std::size_t>(std::clamp(optind - 1, 0, int(words_.size()) - 1))];
  const std::string name = last.starts_with("--") ? last : fmt::format("-{}", static_cast<char>(optopt));
  if (letter == kMissingValue) return show_usage(fmt::format("pyflame: option '{}' requires an argument", name));
  return show_usage(fmt::format("pyflame: unrecognized option '{}'", name));
}

Parser::MaybeAnswer Parser::take_pid(const std::string& word) {
  const auto pid = parse_pid(word);
  if (!pid) return refuse(fmt::format("Error: failed to parse \"{}\" as a PID.", word));
  options_.pid = *pid;
  return std::nullopt;
}

Parser::MaybeAnswer Parser::take_seconds(const std::string& word) {
  const auto seconds = parse_number(word);
  if (!seconds) return refuse(fmt::format("Error: failed to parse \"{}\" as a number of seconds.", word));
  options_.seconds = *seconds;
  return std::nullopt;
}

Parser::MaybeAnswer Parser::take_interval(const std::string& word) {
  const auto seconds = parse_number(word);
  if (!seconds || *seconds < 0)
    return refuse(fmt::format("Error: failed to parse \"{}\" as an interval in seconds.", word));
  const double microseconds = std::max(std::trunc(*seconds * 1e6), kShortestIntervalUs);
  options_.interval = static_cast<Nanoseconds>(microseconds) * 1000;
  return std::nullopt;
}

Parser::MaybeAnswer Parser::take_command() {
  if (options_.dump) return refuse("Options -t and -d are not mutually compatible.");
  if (options_.pid) return refuse("Options -t and -p are not mutually compatible.");
  if (options_.command.empty()) return show_usage("Option -t requires a command to run.");
  if (!positional_.empty()) return show_usage();
  options_.seconds = -1;
  return std::nullopt;
}

Parser::MaybeAnswer Parser::take_process() {
  if (positional_.size() != (options_.pid ? 0 : 1)) return show_usage();
  if (options_.pid) return std::nullopt;
  options_.warning = kWarning;
  return take_pid(positional_.front());
}

}  // namespace

std::variant<PyflameOptions, PyflameAnswer> parse_pyflame(const std::vector<std::string>& words) {
  return Parser(words).parse();
}

}  // namespace flametap::cli
