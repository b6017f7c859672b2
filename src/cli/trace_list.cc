#include "cli/trace_list.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "cli/diagnostics.h"
#include "cli/marked_target.h"
#include "cli/marker_report.h"
#include "cli/terminal.h"
#include "format/output_file.h"
#include "target/process_tree.h"

namespace flametap::cli {
namespace {

// How many of the processes that run a file are asked for its version: one may just be ending.
constexpr std::size_t kMaxAsked = 3;

std::optional<cpython::Version> version_of_any(const std::vector<pid_t>& pids) {
  for (std::size_t i = 0; i < std::min(pids.size(), kMaxAsked); ++i) {
    const auto process = target::Process::open(pids[i]);
    const auto version = process ? python_version(*process) : std::nullopt;
    if (version) return version;
  }
  return std::nullopt;
}

// The file of a Python, judging by its name, from which a process runs code; empty if there is none.
std::string python_file(const target::Maps& maps) {
  std::string found;
  for (const target::Mapping& mapping : maps) {
    if (!mapping.executable || !cpython::version_from_file_name(mapping.path)) continue;
    // With a libpython the program is a few calls into it.
    if (found.empty() || mapping.path.find("/libpython") != std::string::npos) found = mapping.path;
  }
  return found;
}

// One that has just begun may have been overlooked; of one that is ending nothing is known: it loses its memory, and
// with it all that it has mapped, some time before it counts as dead.
bool lacks_markers(const target::Process& process, const std::string& file) {
  const auto files = tracer::marked_files_of(process);
  if (!files || !files->empty()) return false;
  const auto maps = process.maps();
  return maps && python_file(*maps) == file;
}

MarkerReport look_everywhere() {
  MarkerReport report;
  std::vector<pid_t> marked;
  for (tracer::UsedFile& used : tracer::marked_files_everywhere()) {
    marked.insert(marked.end(), used.pids.begin(), used.pids.end());
    const auto version = version_of_any(used.pids);
    report.files.push_back({std::move(used.file), version, std::move(used.pids)});
  }
  std::map<std::string, std::vector<pid_t>> without;
  for (const pid_t pid : target::all_processes()) {
    if (std::find(marked.begin(), marked.end(), pid) != marked.end()) continue;
    const auto process = target::Process::open(pid);
    if (!process) continue;
    const auto maps = process->maps();
    if (!maps && maps.error().kind == Failure::not_permitted) ++report.unreadable;
    const std::string file = maps ? python_file(*maps) : "";
    if (!file.empty() && lacks_markers(*process, file)) without[file].push_back(pid);
  }
  for (auto& [path, pids] : without) {
    report.files.push_back({{.path = path}, version_of_any(pids), std::move(pids)});
  }
  return report;
}

MarkerReport to_report(MarkedTarget target) {
  MarkerReport report;
  for (tracer::MarkedFile& file : target.files) {
    std::vector<pid_t> pids;
    if (target.pid) pids.push_back(*target.pid);
    report.files.push_back({std::move(file), target.version, std::move(pids)});
  }
  return report;
}

}  // namespace

int list_markers(const std::string& what, bool json) {
  MarkerReport report;
  if (what.empty()) {
    report = look_everywhere();
  } else {
    Result<MarkedTarget> target = find_marked_target(what);
    if (!target) return fail(target.error());
    report = to_report(std::move(*target));
  }
  const auto written =
      format::write_output("-", json ? to_json(report) : to_text(report, may_colour(), output_columns()));
  return end_with(written);
}

}  // namespace flametap::cli
