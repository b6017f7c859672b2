#include "cli/trace_top.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cli/diagnostics.h"
#include "cli/signals.h"
#include "cli/trace_targets.h"
#include "format/growing_file.h"
#include "format/top_table.h"
#include "target/process.h"
#include "tracer/call_counter.h"
#include "tracer/probes.h"
#include "tracer/watch.h"

namespace flametap::cli {
namespace {

using tracer::Probes;
using tracer::Watch;

constexpr const char* kClearScreen = "\033[2J\033[1;1H";
constexpr Nanoseconds kGlance = 20'000'000;  // between two looks at the signals
constexpr std::size_t kUsualWidth = 130;

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualWidth;
}

// The table goes to a terminal that is cleared each time, or, one below the other, wherever else.
bool is_for_screen(const TraceRequest& request) {
  return !request.batch && request.output == "-" && ::isatty(STDOUT_FILENO) == 1;
}

std::string table(const TraceRequest& request, const std::vector<tracer::CallCount>& counts, std::uint64_t lost) {
  std::vector<format::TopRow> rows;
  for (const auto& [what, calls] : counts) {
    if (rows.size() == request.limit) break;
    rows.push_back({what.pid, what.line, what.file, what.function, calls});
  }
  std::string text = is_for_screen(request) ? kClearScreen + format::write_top_screen(rows, terminal_width())
                                            : format::write_top_rows(rows) + "\n";
  if (lost > 0) text += std::to_string(lost) + " calls were not counted: there are too many functions\n";
  return text;
}

// Waits for the end of an interval; false: there will be no more.
bool wait_until(Nanoseconds time, const std::vector<target::Process>& processes, const Signals& signals) {
  while (monotonic_now() < time) {
    if (signals.stop()) return false;
    if (!processes.empty() && std::ranges::none_of(processes, &target::Process::alive)) return false;
    sleep_for(std::min(kGlance, time - std::min(time, monotonic_now())));
  }
  return true;
}

int watch_calls(const TraceRequest& request, Probes& probes, tracer::Pythons& pythons, Watch& watch,
                const std::vector<target::Process>& processes, const Signals& signals) {
  auto opened = format::GrowingFile::create(request.output, format::Existing::replace, "");
  if (!opened) return fail(opened.error());
  format::GrowingFile& file = *opened;
  tracer::CallCounter counter(probes, pythons, request.function, request.file);
  const Nanoseconds began = monotonic_now();
  Nanoseconds next = began;
  for (bool more = true; more;) {
    next += request.interval;
    const Nanoseconds end = request.duration ? std::min(next, began + *request.duration) : next;
    more = wait_until(end, processes, signals) && !(request.duration && end >= began + *request.duration);
    if (const auto written = file.append(table(request, counter.take(), probes.lost())); !written)
      return fail(written.error());
    if (!request.all) continue;
    if (const auto added = watch.add_everything_new(); !added) return fail(added.error());
    warn_of_notes(watch);
  }
  return 0;
}

}  // namespace

int trace_top(const TraceRequest& request) {
  const auto processes = open_processes(request);
  if (!processes) return fail(processes.error());
  const Signals signals;
  const Watch::Wanted wanted{.groups = {tracer::EventGroup::call}, .counting = true};
  auto probes = Probes::load({.buffer_bytes = request.buffer_bytes}, Watch::probes_for(wanted));
  if (!probes) return fail(probes.error().within("cannot trace"));
  tracer::Pythons pythons;
  Watch watch(*probes, pythons, wanted);
  if (const auto watched = watch_targets(request, *processes, watch); !watched) return fail(watched.error());
  probes->begin();
  return watch_calls(request, *probes, pythons, watch, *processes, signals);
}

}  // namespace flametap::cli
