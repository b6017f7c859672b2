#include "cli/trace_targets.h"

#include <string>
#include <utility>

#include "cli/diagnostics.h"

namespace flametap::cli {

Result<std::vector<target::Process>> open_processes(const TraceRequest& request) {
  std::vector<target::Process> processes;
  for (const pid_t pid : request.pids) {
    auto process = target::Process::open(pid);
    if (!process) return cannot("trace", pid, process.error());
    processes.push_back(std::move(*process));
  }
  return processes;
}

Error no_markers(const std::string& remedy) {
  return {Failure::not_python, "it has no markers: its Python was built without --with-dtrace, or it is none", remedy};
}

Result<void> watch_targets(const TraceRequest& request, const std::vector<target::Process>& processes,
                           tracer::Watch& watch) {
  for (const target::Process& process : processes) {
    const std::string pid = std::to_string(process.pid());
    Result<bool> added = watch.add(process);
    if (added && !*added) added = no_markers("flametap record needs no markers: flametap record -p " + pid);
    if (!added) return cannot("trace", process.pid(), added.error());
  }
  if (request.all) {
    if (const auto added = watch.add_everything_new(); !added) return added.error();
  }
  warn_of_notes(watch);
  return {};
}

void warn_of_notes(tracer::Watch& watch) {
  for (const std::string& note : watch.take_notes()) warn(note);
}

}  // namespace flametap::cli
