#include "format/folded.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

// Ticks; microseconds where nobody counted ticks, as in a speedscope file of events.
std::uint64_t count_of(const profile::Weight& weight, const profile::Tree& tree) {
  return tree.total.ticks > 0 ? weight.ticks : (weight.ns + 500) / 1000;
}

// One line per stack that samples ended in, in the order of the tree.
std::vector<Line> lines_of(const Profile& profile) {
  const std::vector<std::string> texts = frame_texts(profile);
  const profile::Tree tree = tree_of(profile);
  std::vector<Line> lines;
  if (const std::uint64_t count = count_of(tree.empty, tree); count > 0) lines.emplace_back(kNoFrames, count);
  std::string path;
  std::vector<std::size_t> ends;  // where each frame of the path ends in it
  for (const profile::Node& node : tree.nodes) {
    ends.resize(node.depth);
    path.resize(ends.empty() ? 0 : ends.back());
    if (!ends.empty()) path += ';';
    path += texts[static_cast<std::size_t>(node.frame)];
    ends.push_back(path.size());
    if (const std::uint64_t count = count_of(node.self, tree); count > 0) lines.emplace_back(path, count);
  }
  return lines;
}

}  // namespace

std::string write_folded(const Profile& profile) {
  std::vector<Line> lines = lines_of(profile);
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (std::size_t i = 0; i < lines.size();) {
    std::uint64_t count = 0;
    const std::size_t first = i;
    for (; i < lines.size() && lines[i].first == lines[first].first; ++i) count += lines[i].second;
    text.append(lines[first].first).append(" ").append(std::to_string(count)).append("\n");
  }
  return text;
}

}  // namespace flametap::format
