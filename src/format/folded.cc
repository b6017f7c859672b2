#include "format/folded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "format/text.h"
#include "profile/tree.h"

namespace flametap::format {
namespace {

using profile::FrameId;
using profile::Profile;

using Line = std::pair<std::string, std::uint64_t>;

// The kind behind the frame, as flame graph programs know it. A Python frame has none.
std::string annotated(const Profile& profile, FrameId frame) {
  switch (profile.kind(frame)) {
    case profile::FrameKind::native:
      return frame_text(profile, frame) + "_[n]";
    case profile::FrameKind::inlined:
      return frame_text(profile, frame) + "_[i]";
    case profile::FrameKind::kernel:  // the annotation is the usual form of saying `[kernel]`
      if (profile.file(frame) == profile::kKernelModule) return clean(profile.name(frame)) + "_[k]";
      return frame_text(profile, frame) + "_[k]";
    case profile::FrameKind::python:
    case profile::FrameKind::marker:
      break;
  }
  return frame_text(profile, frame);
}

std::vector<std::string> frame_texts(const Profile& profile) {
  std::vector<std::string> texts(profile.frame_count());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i] = annotated(profile, FrameId(i));
    std::replace(texts[i].begin(), texts[i].end(), ';', ':');
  }
  return texts;
}

// What a count stands for. Whoever reads this format takes shares from counts. A sample that came late stands for the
// ticks that were missed before it, so it does not count one, but the time that it stands for.
class Unit {
 public:
  explicit Unit(const Profile& profile) {
    const auto total_ns = static_cast<double>(profile.total_weight_ns());
    const auto ticks = static_cast<double>(profile.total_ticks());
    const double rate_hz = profile.recording.rate_hz;
    if (total_ns == 0) return;
    ns_ = kShortestNs;
    // A file may say any rate: no sample stands for less than an interval, so the interval is not longer than the mean.
    if (rate_hz > 0 && ticks > 0) ns_ = std::max(kShortestNs, std::min(1e9 / rate_hz, total_ns / ticks));
  }

  [[nodiscard]] std::uint64_t count_of(const profile::Weight& weight) const {
    if (ns_ == 0) return weight.ticks;
    const auto count = static_cast<std::uint64_t>(std::llround(static_cast<double>(weight.ns) / ns_));
    return std::max(count, std::uint64_t{weight.ticks > 0});  // what was seen is shown
  }

 private:
  static constexpr double kShortestNs = 1000;

  double ns_ = 0;  // 0: no time is known, ticks count
};

// One line per node of the tree that samples ended in.
std::vector<Line> lines_of(const Profile& profile) {
  const Unit unit(profile);
  const std::vector<std::string> texts = frame_texts(profile);
  const profile::Tree tree = tree_of(profile);
  std::vector<Line> lines;
  if (const std::uint64_t count = unit.count_of(tree.empty); count > 0) lines.emplace_back(kNoFrames, count);
  std::string path;
  std::vector<std::size_t> ends;  // where each frame of the path ends in it
  for (const profile::Node& node : tree.nodes) {
    ends.resize(node.depth);
    path.resize(ends.empty() ? 0 : ends.back());
    if (!ends.empty()) path += ';';
    path += texts[static_cast<std::size_t>(node.frame)];
    ends.push_back(path.size());
    if (const std::uint64_t count = unit.count_of(node.self); count > 0) lines.emplace_back(path, count);
  }
  return lines;
}

// In the order of their bytes, each stack once: threads have stacks in common.
std::vector<Line> unique_lines(const Profile& profile) {
  std::vector<Line> lines = lines_of(profile);
  std::sort(lines.begin(), lines.end());
  std::vector<Line> unique;
  for (Line& line : lines) {
    if (!unique.empty() && unique.back().first == line.first) {
      unique.back().second += line.second;
    } else {
      unique.push_back(std::move(line));
    }
  }
  return unique;
}

double sum_of(const std::vector<Line>& lines) {
  double sum = 0;
  for (const Line& line : lines) sum += static_cast<double>(line.second);
  return sum;
}

}  // namespace

std::string write_folded(const Profile& profile) {
  std::string text;
  for (const auto& [stack, count] : unique_lines(profile)) {
    text.append(stack).append(" ").append(std::to_string(count)).append("\n");
  }
  return text;
}

std::string write_folded_difference(const Profile& before, const Profile& after) {
  const std::vector<Line> old_lines = unique_lines(before);
  const std::vector<Line> new_lines = unique_lines(after);
  const double old_sum = sum_of(old_lines);
  const double new_sum = sum_of(new_lines);
  const double scale = old_sum > 0 && new_sum > 0 ? new_sum / old_sum : 1;
  std::map<std::string_view, std::pair<std::uint64_t, std::uint64_t>> both;
  for (const auto& [stack, count] : old_lines)
    both[stack].first = static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * scale));
  for (const auto& [stack, count] : new_lines) both[stack].second = count;
  std::string text;
  for (const auto& [stack, counts] : both) text += fmt::format("{} {} {}\n", stack, counts.first, counts.second);
  return text;
}

}  // namespace flametap::format
