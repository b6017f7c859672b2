#include "tracer/watch.h"

#include <algorithm>
#include <initializer_list>

#include "tracer/python_layout.h"

namespace flametap::tracer {
namespace {

using Probe = Probes::Probe;

const Marker* find_marker(const MarkedFile& file, std::string_view name) {
  const auto found = std::ranges::find(file.markers, name, &Marker::name);
  return found == file.markers.end() ? nullptr : &*found;
}

// As it was started; -X options cannot switch it on.
bool uses_jit(const target::Process& process) {
  const auto environment = process.read_file("environ");
  return environment && ('\0' + *environment).find(std::string("\0PYTHON_JIT=1", 13)) != std::string::npos;
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) (text += text.empty() ? "" : ",") += word;
  return text;
}

}  // namespace

std::vector<Probe> Watch::probes_for(const Wanted& wanted) {
  if (wanted.counting) return {Probe::count_calls, Probe::count_call_ends};
  const auto is_wanted = [&](EventGroup group) {
    return std::ranges::find(wanted.groups, group) != wanted.groups.end();
  };
  std::vector<Probe> probes;
  const auto add = [&](bool condition, std::initializer_list<Probe> more) {
    if (condition) probes.insert(probes.end(), more);
  };
  // In the order of attaching: an end is watched before its beginning, so that no beginning lacks its end.
  add(is_wanted(EventGroup::call) || wanted.within, {Probe::call_end, Probe::call});
  add(is_wanted(EventGroup::line), {Probe::line});
  add(is_wanted(EventGroup::gc), {Probe::gc_done, Probe::gc_start});
  add(is_wanted(EventGroup::import), {Probe::import_done, Probe::import_start});
  add(is_wanted(EventGroup::audit), {Probe::audit});
  return probes;
}

bool Watch::watches_calls() const {
  return wanted_.within || std::ranges::find(wanted_.groups, EventGroup::call) != wanted_.groups.end();
}

void Watch::note(const std::string& text) {
  if (noted_.insert(text).second) notes_.push_back(text);
}

Error Watch::nothing_wanted(const MarkedFile& file, const Abilities& abilities, EventGroup group) {
  std::vector<std::string_view> available;
  for (const Ability& ability : abilities.all) {
    if (ability.available) available.push_back(to_string(ability.group));
  }
  const Ability& missing = abilities[group];
  return {Failure::not_python,
          file.path + " cannot tell of " + std::string(to_string(group)) + " events: " + missing.why,
          available.empty() ? "" : "it can tell of others: --events " + joined(available)};
}

Result<void> Watch::attach(const MarkedFile& file, std::optional<pid_t> pid, std::optional<cpython::Version> version) {
  const Abilities abilities = tell_abilities(file, version);
  const bool some = std::ranges::any_of(wanted_.groups, [&](EventGroup group) { return abilities[group].available; });
  if (!some) return nothing_wanted(file, abilities, wanted_.groups.front());
  if (wanted_.within && !abilities[EventGroup::call].available)
    return nothing_wanted(file, abilities, EventGroup::call).within("--within needs to see calls");
  for (const EventGroup group : wanted_.groups) {
    const Ability& ability = abilities[group];
    if (!ability.available) note(file.path + ": no " + std::string(to_string(group)) + " events: " + ability.why);
  }
  const bool counts_ends = wanted_.counting && abilities.needs_arming;
  bool watches_calls = false;
  for (const Probe probe : probes_for(wanted_)) {
    // Calls are counted where that costs least.
    if (wanted_.counting && (probe == Probe::count_call_ends) != counts_ends) continue;
    // Not whatever happens to be there: arming a marker that is not to be used may even end the process.
    if (!abilities[find_marker_kind(Probes::marker_of(probe))->group].available) continue;
    if (const auto attached = probes_.attach(probe, file, pid); !attached) return attached.error();
    watches_calls = watches_calls || probe == Probe::call;
  }
  const bool watches_lines = std::ranges::find(wanted_.groups, EventGroup::line) != wanted_.groups.end();
  if (!abilities.needs_arming || !watches_calls || watches_lines) return {};
  const Marker* const line = find_marker(file, "line");
  if (line == nullptr) return {};
  note(file.path + ": " + abilities[EventGroup::call].why);
  return probes_.arm(*line, file, pid);
}

Result<bool> Watch::add(const target::Process& process) {
  const auto files = marked_files_of(process);
  if (!files) return files.error();
  if (files->empty()) return false;
  std::optional<cpython::Version> version;
  if (const Python* const python = pythons_.find(process.pid())) {
    version = python->interpreter->version;
    // Before the first event.
    if (const auto layout = python_layout(*python->interpreter)) probes_.teach(process.pid(), *layout);
  }
  for (const MarkedFile& file : *files) {
    if (const auto attached = attach(file, process.pid(), version); !attached) return attached.error();
  }
  if (watches_calls() && uses_jit(process)) {
    note("process " + std::to_string(process.pid()) +
         " runs with PYTHON_JIT=1: code that the JIT has compiled passes no markers, so calls are missing");
  }
  return true;
}

Result<void> Watch::add_everything_new() {
  for (const UsedFile& used : marked_files_everywhere()) {
    if (!files_.emplace(used.file.device, used.file.inode).second) continue;
    std::optional<cpython::Version> version;
    for (const pid_t pid : used.pids) {
      const Python* const python = pythons_.find(pid);
      if (python == nullptr) continue;
      version = python->interpreter->version;
      break;
    }
    const auto attached = attach(used.file, std::nullopt, version);
    // One of many that cannot tell what is wanted is no failure.
    if (!attached && attached.error().kind == Failure::not_python) {
      note(attached.error().message);
    } else if (!attached) {
      return attached.error();
    }
  }
  return {};
}

}  // namespace flametap::tracer
