#include "cli/trace_command.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "cli/diagnostics.h"
#include "cli/launch.h"
#include "cli/signals.h"
#include "cli/trace_output.h"
#include "cli/trace_targets.h"
#include "cli/trace_top.h"
#include "cpython/interpreter.h"
#include "target/process.h"
#include "target/process_memory.h"
#include "tracer/event_pump.h"
#include "tracer/probes.h"
#include "tracer/watch.h"

namespace flametap::cli {
namespace {

using tracer::EventPump;
using tracer::Probes;
using tracer::Watch;
using Processes = std::vector<target::Process>;

constexpr Nanoseconds kLongPause = 5'000'000;    // between two looks into the buffer
constexpr Nanoseconds kShortPause = 500'000;     // the same, when somebody waits for us
constexpr Nanoseconds kNewFilesPause = kSecond;  // between two looks for Pythons that are new on the machine

EventPump::Filters filters_of(const TraceRequest& request) {
  return {.function = request.function,
          .file = request.file,
          .thread = request.thread,
          .min_duration = request.min_duration};
}

Watch::Wanted wanted_by(const TraceRequest& request) {
  return {.groups = request.events, .within = !request.within.empty()};
}

// A moment, or less if one of them ends. Whether there are any, and all have ended.
bool wait_for_end(const Processes& processes, Nanoseconds moment) {
  std::vector<pollfd> running;
  for (const target::Process& process : processes) {
    if (process.alive()) running.push_back({process.pidfd(), POLLIN, 0});
  }
  if (running.empty() && !processes.empty()) return true;
  const timespec pause{0, static_cast<long>(moment)};
  ::ppoll(running.data(), running.size(), &pause, nullptr);
  return false;
}

// A trace while it runs: the programs in the kernel, what they are attached to, and where the events go.
class Tracing {
 public:
  static Result<std::unique_ptr<Tracing>> begin(const TraceRequest& request) {
    const bool calls = std::ranges::find(request.events, tracer::EventGroup::call) != request.events.end();
    Probes::Options options{.buffer_bytes = request.buffer_bytes, .within = request.within, .send_calls = calls};
    options = EventPump::judging(filters_of(request), options);
    auto probes = Probes::load(options, Watch::probes_for(wanted_by(request)));
    if (!probes) return probes.error();
    return std::unique_ptr<Tracing>(new Tracing(request, std::move(*probes)));
  }

  [[nodiscard]] Watch& watch() { return watch_; }
  // Everything from now on is in the trace. Its file is opened only here, when it is sure that there is something to
  // write and an older one may go, and after the probes have begun: whoever sees it knows that nothing is missed.
  Result<void> begin_watching() {
    const Nanoseconds began = monotonic_now();
    probes_.begin();
    auto output = TraceOutput::open(request_, began);
    if (!output) return output.error();
    output_ = std::move(*output);
    return {};
  }

  // Until it is told to stop, the time is over, or all of the processes, if there are any, have ended.
  Result<void> run(const Processes& processes, const Signals& signals) {
    const Nanoseconds began = monotonic_now();
    Nanoseconds next_files = began + kNewFilesPause;
    const auto is_over = [&] { return request_.duration && monotonic_now() - began >= *request_.duration; };
    for (bool ended = false; !ended && !signals.stop() && !is_over();) {
      ended = wait_for_end(processes, pump_.is_urgent() ? kShortPause : kLongPause);
      pump_.pump([this](const events::Event& event) { output_->add(event); });
      if (const auto flushed = output_->flush(); !flushed) return flushed.error();
      if (request_.all && monotonic_now() >= next_files) {
        if (const auto added = watch_.add_everything_new(); !added) return added.error();
        next_files = monotonic_now() + kNewFilesPause;
      }
      warn_of_notes(watch_);
    }
    return {};
  }

  Result<events::Ending> finish() {
    const Nanoseconds ended = monotonic_now();
    probes_.detach();
    pump_.finish([this](const events::Event& event) { output_->add(event); });
    const events::Ending ending = pump_.ending(ended);
    if (const auto finished = output_->finish(ending); !finished) return finished.error();
    return ending;
  }

 private:
  Tracing(const TraceRequest& request, Probes probes)
      : request_(request),
        probes_(std::move(probes)),
        watch_(probes_, pythons_, wanted_by(request)),
        pump_(probes_, pythons_, filters_of(request)) {}

  const TraceRequest& request_;
  Probes probes_;
  tracer::Pythons pythons_;
  Watch watch_;
  EventPump pump_;
  std::unique_ptr<TraceOutput> output_;
};

// Whether it is a Python at all, markers or not.
bool is_python(const target::Process& process) {
  target::ProcessMemory memory(process.pid());
  return cpython::find_interpreter(process, memory).ok();
}

void print_summary(const events::Ending& ending) {
  std::string text = "flametap: " + std::to_string(ending.events) + " events";
  if (ending.lost > 0) text += ", " + std::to_string(ending.lost) + " LOST (the buffer was full: --buffer MB)";
  if (ending.unnamed > 0) text += ", " + std::to_string(ending.unnamed) + " without a readable name";
  if (ending.nameless_threads > 0)
    text += ", " + std::to_string(ending.nameless_threads) + " threads ended before --thread could learn their name";
  if (ending.out_of_order > 0) text += ", " + std::to_string(ending.out_of_order) + " out of order";
  if (ending.events == 0 && ending.lost == 0)
    text += " (what began before is not told, and child processes are not followed)";
  std::fprintf(stderr, "%s\n", text.c_str());
}

// Runs it and ends it, whatever happens; gives the exit code.
int complete(Tracing& tracing, const Processes& processes, const Signals& signals) {
  const auto ran = tracing.run(processes, signals);
  const auto ending = tracing.finish();
  if (ending) print_summary(*ending);
  if (!ran && !is_closed_pipe(ran.error())) return fail(ran.error());
  return ending || is_closed_pipe(ending.error()) ? 0 : fail(ending.error());
}

int trace_what_runs(const TraceRequest& request) {
  const auto processes = open_processes(request);
  if (!processes) return fail(processes.error());
  const Signals signals;
  auto tracing = Tracing::begin(request);
  if (!tracing) return fail(tracing.error().within("cannot trace"));
  const auto watched = watch_targets(request, *processes, (*tracing)->watch());
  if (!watched) return fail(watched.error());
  if (const auto begun = (*tracing)->begin_watching(); !begun) return fail(begun.error().within("cannot trace"));
  return complete(**tracing, *processes, signals);
}

// What became of a command that is held at each program it begins.
struct Start {
  Processes python;  // the process, once a Python with markers was found in it
  std::optional<Error> failed;
};

// Whether to let the command run from here on: its Python is watched, or there is no use in going on.
bool is_ready(const target::Process& process, Tracing& tracing, Start& start) {
  Result<bool> added = tracing.watch().add(process);
  if (added && !*added && is_python(process))
    added = no_markers("flametap record needs no markers: flametap record -- COMMAND");
  if (added && *added) {
    if (const auto begun = tracing.begin_watching(); !begun) added = begun.error();
  }
  if (!added) {
    start.failed = added.error();
    // None of its code has run: nothing is lost.
    ::kill(process.pid(), SIGKILL);
    return true;
  }
  if (!*added) return false;
  if (auto found = target::Process::open(process.pid())) start.python.push_back(std::move(*found));
  return true;
}

int trace_command(const TraceRequest& request) {
  Signals signals;
  auto tracing = Tracing::begin(request);
  if (!tracing) return fail(tracing.error().within("cannot trace"));
  Start start;
  auto started = Launched::start_held(
      request.command, signals, [&](const target::Process& process) { return is_ready(process, **tracing, start); });
  if (const auto* const failed = std::get_if<Launched::Failed>(&started)) {
    fail(failed->error);
    return failed->exit_code;
  }
  Launched& command = std::get<Launched>(started);
  if (command.not_held()) warn(command.not_held()->message);
  const std::string cannot_trace = "cannot trace " + request.command.front();
  if (start.failed) {
    command.wait();
    return fail(start.failed->within(cannot_trace));
  }
  if (start.python.empty()) {
    const int code = command.wait();
    return own_code_unless(code, fail({Failure::not_python, cannot_trace + ": no Python with markers ran in it",
                                       "a Python that it starts as another process: flametap trace -p PID, or --all"}));
  }
  warn_of_notes((*tracing)->watch());
  const int own_code = complete(**tracing, start.python, signals);
  return own_code_unless(command.wait(), own_code);
}

}  // namespace

int trace(const TraceRequest& request) {
  if (request.top) return trace_top(request);
  return request.command.empty() ? trace_what_runs(request) : trace_command(request);
}

}  // namespace flametap::cli
