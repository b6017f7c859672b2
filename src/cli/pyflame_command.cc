#include "cli/pyflame_command.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/diagnostics.h"
#include "cli/launch.h"
#include "cli/output.h"
#include "cli/pyflame_options.h"
#include "cli/pyflame_output.h"
#include "cli/pyflame_sampler.h"
#include "cli/python_search.h"
#include "cli/signals.h"
#include "cli/thread_dump.h"
#include "format/output_file.h"
#include "sampler/cpu_seat.h"
#include "sampler/process_sampler.h"

namespace flametap::cli {
namespace {

constexpr std::string_view kNaughty = "You tried to pyflame a pyflame, naughty!";
constexpr std::string_view kNoPython = "Failed to locate libpython within timeout period";

// Nothing to be done about a reader that went away.
void print(std::FILE* stream, std::string_view text) { std::fwrite(text.data(), 1, text.size(), stream); }

int complain(std::string_view line) {
  print(stderr, fmt::format("{}\n", line));
  return kPyflameFailed;
}

int complain(const Error& error) {
  return complain(error.message + (error.remedy.empty() ? "" : "\n  try: " + error.remedy));
}

// Begins with Pyflame's own words, which scripts look for.
int complain_about(pid_t pid, const Error& error) {
  switch (error.kind) {
    case Failure::not_permitted:
    case Failure::no_such_process:
      return complain(error.within(fmt::format("Failed to seize PID {}", pid)));
    case Failure::not_python:
      return complain(error.within(std::string(kNoPython)));
    case Failure::failed:
    case Failure::usage:
      break;
  }
  return complain(error);
}

bool is_our_program(const std::string& path) {
  struct stat ours {};
  struct stat other {};
  return ::stat("/proc/self/exe", &ours) == 0 && ::stat(path.c_str(), &other) == 0 && ours.st_dev == other.st_dev &&
         ours.st_ino == other.st_ino;
}

// The file that execvp would run.
std::string find_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  if (path == nullptr || name.find('/') != std::string::npos) return name;
  std::string_view rest = path;
  for (;;) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    std::string file = fmt::format("{}{}{}", folder, folder.empty() ? "" : "/", name);
    if (::access(file.c_str(), X_OK) == 0) return file;
    if (folder.size() == rest.size()) return name;
    rest.remove_prefix(folder.size() + 1);
  }
}

int write_text(const PyflameOptions& options, const std::string& text) {
  const auto written = format::write_output(options.output, text);
  return written || is_closed_pipe(written.error()) ? 0 : complain(written.error());
}

PyflameLog make_log(const PyflameOptions& options) {
  return PyflameLog({.flamechart = options.flamechart, .exclude_idle = options.exclude_idle});
}

PyflameSampler make_sampler(const PyflameOptions& options, sampler::CpuSeat seat, PyflameLog& log) {
  return PyflameSampler({.seconds = options.seconds,
                         .interval = options.interval,
                         .threads = options.threads,
                         .line_numbers = options.line_numbers},
                        std::move(seat), log);
}

sampler::ProcessSampler::Options sampler_options(const PyflameOptions& options) {
  sampler::ProcessSampler::Options result;
  result.lines = options.line_numbers;
  if (options.c_stack) result.native.emplace();
  return result;
}

int dump_threads(const PyflameOptions& options) {
  const auto dump = take_dump(*options.pid, sampler_options(options).native);
  return dump ? write_text(options, pyflame_text(*dump)) : complain_about(*options.pid, dump.error());
}

int sample_process(const PyflameOptions& options) {
  const Signals signals;
  auto seat = sampler::CpuSeat::take(std::nullopt);
  if (!seat) return complain(seat.error());
  auto process = sampler::ProcessSampler::attach(*options.pid, sampler_options(options));
  if (!process) return complain_about(*options.pid, process.error());
  PyflameLog log = make_log(options);
  make_sampler(options, std::move(*seat), log)
      .run(
          std::move(*process), [] { return nullptr; }, signals.stop());
  return write_text(options, log.text());
}

int cannot_execute(const PyflameOptions& options, const Launched::Failed& failed) {
  complain(fmt::format("execvp() failed for: {}", fmt::join(options.command, " ")));
  complain(failed.error);
  return complain(fmt::format("Child process exited with status: {}", failed.exit_code));
}

// The command has ended, or was ended, before we met a Python in it.
int no_python_in(const PyflameOptions& options, const PythonSearch& search, Launched& command) {
  const int status = command.wait();
  if (search.denied()) {
    complain_about(command.pid(), *search.denied());
  } else {
    complain(fmt::format("{}: no Python was found in {} while it ran", kNoPython, options.command.front()));
  }
  return complain(fmt::format("Child process exited with status: {}", status));
}

// The exit code is ours, not the command's.
int trace_command(const PyflameOptions& options) {
  Signals signals;
  auto started = Launched::start(options.command, signals);
  if (const auto* const failed = std::get_if<Launched::Failed>(&started)) return cannot_execute(options, *failed);
  Launched& command = std::get<Launched>(started);
  auto seat = sampler::CpuSeat::take(std::nullopt);  // only now: the command would inherit it
  if (!seat) return complain(seat.error());
  PythonSearch search(command, signals.stop(), sampler_options(options));
  auto python = search.find(std::nullopt);
  if (!python) return no_python_in(options, search, command);
  PyflameLog log = make_log(options);
  make_sampler(options, std::move(*seat), log)
      .run(
          std::move(python), [&] { return search.find(std::nullopt); }, signals.stop());
  const int code = write_text(options, log.text());
  command.wait();
  return code;
}

int run(const PyflameOptions& options) {
  print(stderr, options.warning);
  const std::string target =
      options.pid ? fmt::format("/proc/{}/exe", *options.pid) : find_program(options.command.front());
  if (is_our_program(target)) return complain(kNaughty);
  const auto writable =
      options.output.empty() ? Error{Failure::failed, "it has no name", ""} : check_writable(options.output);
  if (!writable) {
    return complain(fmt::format("cannot open file \"{}\" as output: {}", options.output, writable.error().message));
  }
  if (options.dump) return dump_threads(options);
  return options.pid ? sample_process(options) : trace_command(options);
}

}  // namespace

int pyflame(int argc, char** argv) {
  const auto parsed = parse_pyflame({argv, argv + argc});
  if (const auto* const options = std::get_if<PyflameOptions>(&parsed)) return run(*options);
  const auto& answer = std::get<PyflameAnswer>(parsed);
  print(answer.exit_code == 0 ? stdout : stderr, answer.text);
  return answer.exit_code;
}

}  // namespace flametap::cli
