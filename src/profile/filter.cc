#include "profile/filter.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/pattern.h"

namespace flametap::profile {
namespace {

std::size_t index(ThreadId id) { return static_cast<std::size_t>(id); }

Result<void> check_mode(Mode recorded, Mode wanted) {
  if (recorded == wanted) return {};
  if (recorded == Mode::unknown || wanted == Mode::unknown) {
    return Error{Failure::usage, "the profile does not say what its threads were doing, so it has no mode to choose",
                 ""};
  }
  if (recorded != Mode::wall) {
    const std::string name_wanted(name(wanted));
    return Error{
        Failure::usage,
        "the profile holds only samples of mode " + std::string(name(recorded)) + ", not all of " + name_wanted,
        "record with --mode " + name_wanted};
  }
  return {};
}

bool matches(const Pattern& pattern, const std::string& name, std::uint64_t id) {
  return pattern.matches(name) || pattern.matches(std::to_string(id));
}

// Copies stacks from one profile into another, below a root of their own and without what the filter drops.
class StackCopier {
 public:
  StackCopier(const Profile& from, Profile& to, bool drop_lines) : from_(from), to_(to), drop_lines_(drop_lines) {}

  // The stack below `root`, which is made of the markers `root_labels`.
  StackId copy(StackId stack, StackId root, const std::vector<std::string>& root_labels) {
    missing_.clear();
    StackId done = root;
    for (StackId at = stack; at != kEmptyStack; at = from_.stack(at).parent) {
      const auto known = copies_.find(key(at, root));
      if (known != copies_.end()) {
        done = known->second;
        break;
      }
      missing_.push_back(at);
    }
    for (; !missing_.empty(); missing_.pop_back()) {
      const FrameId frame = from_.stack(missing_.back()).frame;
      const bool set_already = done == root && is_marker(frame, root_labels);
      if (!set_already) done = to_.push(done, copy(frame));
      copies_.emplace(key(missing_.back(), root), done);
    }
    return done;
  }

 private:
  static std::uint64_t key(StackId stack, StackId root) {
    return static_cast<std::uint64_t>(root) << 32 | static_cast<std::uint64_t>(stack);
  }

  bool is_marker(FrameId frame, const std::vector<std::string>& labels) const {
    if (from_.function(from_.frame(frame).function).kind != FrameKind::marker) return false;
    for (const std::string& label : labels) {
      if (from_.name(frame) == label) return true;
    }
    return false;
  }

  FrameId copy(FrameId id) {
    const Frame& frame = from_.frame(id);
    Function function = from_.function(frame.function);
    function.name = to_.intern(from_.text(function.name));
    function.file = to_.intern(from_.text(function.file));
    function.module = to_.intern(from_.text(function.module));
    return to_.intern(Frame{to_.intern(function), drop_lines_ ? 0 : frame.line});
  }

  const Profile& from_;
  Profile& to_;
  bool drop_lines_;
  std::unordered_map<std::uint64_t, StackId> copies_;
  std::vector<StackId> missing_;
};

struct Root {
  ThreadId thread{};
  StackId stack = kEmptyStack;
  std::vector<std::string> labels;
};

Root add_root(Profile& to, const Thread& thread, bool by_thread) {
  Root root;
  root.thread = to.add(thread);
  const Process& process = to.process(thread.process);
  const bool is_known = process.pid != 0 || !process.command.empty();
  if (to.processes().size() > 1 && is_known) root.labels.push_back(process_label(process));
  if (by_thread) root.labels.push_back(thread_label(thread));
  for (const std::string& label : root.labels) {
    const Function marker{to.intern(label), kEmptyText, 0, FrameKind::marker};
    root.stack = to.push(root.stack, to.intern(Frame{to.intern(marker), 0}));
  }
  return root;
}

// Those of files that are still in it.
void copy_sources(const Profile& from, Profile& to) {
  if (from.sources().empty()) return;
  std::set<std::string_view> files;
  for (std::size_t i = 0; i < to.function_count(); ++i) files.insert(to.text(to.function(FunctionId(i)).file));
  for (const auto& [path, text] : from.sources()) {
    if (files.contains(from.text(path))) to.add_source(to.intern(from.text(path)), text);
  }
}

}  // namespace

bool in_mode(stack::State state, Mode mode) {
  switch (mode) {
    case Mode::cpu:
      return (state & (stack::kOnCpu | stack::kHoldsGil)) != 0 &&
             (state & (stack::kReady | stack::kAsleepWithGil)) == 0;
    case Mode::ready:
      return (state & stack::kReady) != 0;
    case Mode::gil:
      return (state & stack::kHoldsGil) != 0;
    case Mode::wall:
    case Mode::unknown:
      return true;
  }
  return true;
}

std::string thread_label(const Thread& thread) {
  std::string label = "thread";
  if (!thread.name.empty()) label += " " + thread.name;
  if (thread.id != 0) label += " (" + std::to_string(thread.id) + ")";
  return label;
}

std::string process_label(const Process& process) {
  return "process " + std::to_string(process.pid) + " (" + process.command + ")";
}

Result<Profile> filter(const Profile& profile, const Filter& filter) {
  const Mode mode = filter.mode.value_or(profile.recording.mode);
  if (const Result<void> possible = check_mode(profile.recording.mode, mode); !possible) return possible.error();
  const auto process_pattern = Pattern::compile(filter.process, "processes");
  if (!process_pattern) return process_pattern.error();
  const auto thread_pattern = Pattern::compile(filter.thread, "threads");
  if (!thread_pattern) return thread_pattern.error();

  Profile result;
  result.recording = profile.recording;
  result.recording.mode = mode;
  std::vector<std::optional<ProcessId>> processes;
  for (const Process& process : profile.processes()) {
    const bool wanted = matches(*process_pattern, process.command, static_cast<std::uint64_t>(process.pid));
    processes.push_back(wanted ? std::optional(result.add(process)) : std::nullopt);
  }
  std::vector<std::optional<Root>> roots;
  for (Thread thread : profile.threads()) {
    const std::optional<ProcessId> process = processes[static_cast<std::size_t>(thread.process)];
    roots.emplace_back();
    if (!process || !matches(*thread_pattern, thread.name, thread.id)) continue;
    thread.process = *process;
    roots.back() = add_root(result, thread, filter.by_thread);
  }

  StackCopier copier(profile, result, filter.drop_lines);
  for (Sample sample : profile.samples()) {
    const std::optional<Root>& root = roots[index(sample.thread)];
    if (!root || !in_mode(sample.state, mode)) continue;
    sample.thread = root->thread;
    sample.stack = copier.copy(sample.stack, root->stack, root->labels);
    result.add(sample);
  }
  copy_sources(profile, result);
  return result;
}

}  // namespace flametap::profile
