#include "profile/filter.h"

#include <cstddef>
#include <cstdint>
#include <regex>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace flametap::profile {
namespace {

// std::regex recurses for every character it looks at.
constexpr std::size_t kMaxMatchedName = 1024;

std::size_t index(ThreadId id) { return static_cast<std::size_t>(id); }

bool in_mode(stack::State state, Mode mode) {
  switch (mode) {
    case Mode::cpu:
      return (state & (stack::kOnCpu | stack::kHoldsGil)) != 0;
    case Mode::gil:
      return (state & stack::kHoldsGil) != 0;
    case Mode::wall:
    case Mode::unknown:
      return true;
  }
  return true;
}

Result<void> check_mode(Mode recorded, Mode wanted) {
  if (recorded == wanted) return {};
  if (recorded == Mode::unknown || wanted == Mode::unknown) {
    return Error{Failure::usage, "the profile does not say what its threads were doing, so it has no mode to choose",
                 ""};
  }
  if (wanted < recorded) {
    const std::string name_wanted(name(wanted));
    return Error{
        Failure::usage,
        "the profile holds only samples of mode " + std::string(name(recorded)) + ", not all of " + name_wanted,
        "record with --mode " + name_wanted};
  }
  return {};
}

Result<std::vector<bool>> matching_threads(const Profile& profile, const std::string& pattern) {
  std::vector<bool> matches(profile.threads().size(), true);
  if (pattern.empty()) return matches;
  try {
    const std::regex expression(pattern);
    for (std::size_t i = 0; i < matches.size(); ++i) {
      const Thread& thread = profile.threads()[i];
      matches[i] = std::regex_search(thread.name.substr(0, kMaxMatchedName), expression) ||
                   std::regex_search(std::to_string(thread.id), expression);
    }
  } catch (const std::regex_error& error) {
    return Error{Failure::usage, "not a regular expression for threads: " + pattern + ": " + error.what(), ""};
  }
  return matches;
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

Root add_root(const Profile& from, Profile& to, const Thread& thread, bool by_thread) {
  Root root;
  root.thread = to.add(thread);
  const Process& process = from.process(thread.process);
  if (from.processes().size() > 1) root.labels.push_back(process_label(process));
  if (by_thread) root.labels.push_back(thread_label(thread));
  for (const std::string& label : root.labels) {
    const Function marker{to.intern(label), to.intern(""), 0, FrameKind::marker};
    root.stack = to.push(root.stack, to.intern(Frame{to.intern(marker), 0}));
  }
  return root;
}

}  // namespace

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
  const Result<std::vector<bool>> wanted = matching_threads(profile, filter.thread);
  if (!wanted) return wanted.error();

  Profile result;
  result.recording = profile.recording;
  result.recording.mode = mode;
  for (const Process& process : profile.processes()) result.add(process);
  std::vector<Root> roots(profile.threads().size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if ((*wanted)[i]) roots[i] = add_root(profile, result, profile.threads()[i], filter.by_thread);
  }

  StackCopier copier(profile, result, filter.drop_lines);
  for (Sample sample : profile.samples()) {
    if (!(*wanted)[index(sample.thread)] || !in_mode(sample.state, mode)) continue;
    const Root& root = roots[index(sample.thread)];
    sample.thread = root.thread;
    sample.stack = copier.copy(sample.stack, root.stack, root.labels);
    result.add(sample);
  }
  return result;
}

}  // namespace flametap::profile
