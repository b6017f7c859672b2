#include "stack/merge.h"

#include <algorithm>

namespace flametap::stack {

bool Merger::merge(const MergeInput& input, std::vector<Frame>& frames) {
  frames.clear();
  runner_of_.assign(input.runs.size(), kNobody);
  if (!(input.anchored ? pair_by_anchors(input) : pair_by_counting(input))) return false;

  std::size_t run = 0;
  std::size_t next_python = 0;
  const auto take_run = [&] {
    for (; next_python < input.runs[run].end; ++next_python) frames.push_back(input.python[next_python]);
    ++run;
  };
  first_ = first_of_ours(input);
  for (std::size_t i = first_; i < input.native.size(); ++i) {
    // Runs that no call runs are empty: see pair_by_anchors().
    while (run < input.runs.size() && runner_of_[run] == kNobody && input.runs[run].end == next_python) ++run;
    // What runs Python evaluates it, whatever it is called.
    const bool evaluates = run < input.runs.size() && runner_of_[run] == i;
    if (evaluates) take_run();
    const NativeFrame& native = input.native[i];
    const bool does_something = native.role == Role::other && !evaluates;
    if (does_something || input.show_machinery) frames.push_back({FrameKind::native, native.number, 0});
  }
  // Where the C stack is not whole, Python goes on further out than it does.
  while (run < input.runs.size()) take_run();
  for (; next_python < input.python.size(); ++next_python) frames.push_back(input.python[next_python]);
  return true;
}

// A call that evaluates code which is none of ours, inside of all that are, is about to begin or to end. Or it
// evaluates that of another interpreter: then what it calls is not our doing.
std::size_t Merger::first_of_ours(const MergeInput& input) const {
  if (!input.shared) return 0;
  const auto innermost = std::ranges::find_if(runner_of_, [](std::uint32_t runner) { return runner != kNobody; });
  const bool is_known = innermost != runner_of_.end();
  if (!is_known && input.foreign_anchor == 0) return 0;
  const std::size_t ours = is_known ? *innermost : input.native.size();
  std::size_t first = 0;
  bool met_others = input.foreign_anchor == 0;
  for (std::size_t i = 0; i < ours; ++i) {
    const NativeFrame& native = input.native[i];
    const bool is_theirs = input.foreign_anchor >= native.begin && input.foreign_anchor < native.end;
    met_others = met_others || is_theirs;
    if (native.role == Role::evaluates || is_theirs) first = input.show_machinery ? i : i + 1;
  }
  // Else theirs, too, is further out than the part of the C stack that is known.
  return met_others ? first : ours;
}

bool Merger::pair_by_anchors(const MergeInput& input) {
  std::uint32_t native = 0;
  std::uint32_t first = 0;  // the Python frames of this run begin here
  for (std::size_t run = 0; run < input.runs.size(); ++run) {
    const std::uint64_t anchor = input.runs[run].anchor;
    const bool is_empty = input.runs[run].end == first;
    first = input.runs[run].end;
    // The stack grows downwards: calls further out have higher addresses.
    std::uint32_t runner = native;
    while (runner < input.native.size() && (input.native[runner].end == 0 || anchor >= input.native[runner].end)) {
      ++runner;
    }
    const bool found = runner < input.native.size() && anchor >= input.native[runner].begin;
    if (found) {
      runner_of_[run] = runner;
      native = runner + 1;
      continue;
    }
    // A frame that the interpreter keeps elsewhere, as the root of a thread's stack, runs nothing itself.
    if (is_empty) continue;
    // Further out than the part of the C stack that is known.
    if (!input.native_is_whole && runner == input.native.size()) return true;
    return false;
  }
  return first == input.python.size();
}

bool Merger::pair_by_counting(const MergeInput& input) {
  if (!input.runs.empty() && input.runs.back().end != input.python.size()) return false;
  const auto evaluates = [](const NativeFrame& frame) { return frame.role == Role::evaluates; };
  const auto calls = static_cast<std::size_t>(std::ranges::count_if(input.native, evaluates));
  const std::size_t runs = input.foreign_inside + input.runs.size() + input.foreign_outside;
  if (!input.native_is_whole) {
    if (!input.settled || calls > runs) return false;
    pair_in_order(input, input.foreign_inside);
    return true;
  }
  // One that is about to begin or to end has no frame.
  if (calls != runs && (input.settled || calls != runs + 1)) return false;
  pair_in_order(input, calls - input.runs.size() - input.foreign_outside);
  return true;
}

// The innermost run belongs to the first call that is not skipped, and so on.
void Merger::pair_in_order(const MergeInput& input, std::size_t to_skip) {
  std::size_t run = 0;
  for (std::uint32_t i = 0; i < input.native.size() && run < input.runs.size(); ++i) {
    if (input.native[i].role != Role::evaluates) continue;
    if (to_skip > 0) {
      --to_skip;
    } else {
      runner_of_[run++] = i;
    }
  }
}

}  // namespace flametap::stack
