#include "format/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "format/utf8.h"
#include "profile/merge.h"

namespace flametap::format {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// U+FFFE and U+FFFF are well-formed, but XML forbids them.
bool is_noncharacter(std::string_view character) { return character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF"; }

std::string joined(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, " · ")); }

}  // namespace

std::string_view exporter() { return "flametap " FLAMETAP_VERSION; }

std::string clean(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string_view character = text.substr(0, length);
    if (length == 0 || is_noncharacter(character)) {
      result += kReplacement;
    } else if (length == 1 && is_control(text.front())) {
      result += ' ';
    } else {
      result += character;
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string without_middle(std::string_view text, std::size_t characters) {
  if (text.size() <= characters) return std::string(text);
  std::vector<std::size_t> starts;  // of its characters
  for (std::size_t at = 0; at < text.size();) {
    starts.push_back(at);
    at += std::max<std::size_t>(character_length(text.substr(at)), 1);
  }
  if (starts.size() <= characters) return std::string(text);
  if (characters == 0) return "";
  const std::size_t kept = characters - 1;
  const std::size_t at_end = kept - kept / 3;  // the end of a path tells more than its beginning
  std::string result(text.substr(0, starts[kept / 3]));
  return result.append("…").append(at_end == 0 ? "" : text.substr(starts[starts.size() - at_end]));
}

std::string frame_text(const profile::Profile& profile, profile::FrameId frame) {
  std::string text = clean(profile.name(frame));
  const std::string_view file = profile.file(frame);
  if (file.empty()) return text;
  text.append(" (").append(clean(file));
  if (const std::int32_t line = profile.frame(frame).line; line > 0) text.append(":").append(std::to_string(line));
  return text.append(")");
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }  // npos + 1 is 0

std::string place_text(const profile::Profile& profile, const profile::Function& function) {
  const std::string_view file = profile.text(function.file);
  const bool has_source = !is_native(function.kind) || function.file != function.module;
  return clean(has_source ? file : base_name(file));
}

std::string with_commas(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string result;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) result += ',';
    result += digits[i];
  }
  return result;
}

std::string human_time(std::uint64_t time_ns) {
  struct Unit {
    double ns;
    std::string_view name;
  };
  constexpr std::array<Unit, 3> kUnits = {{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}}};
  for (const Unit& unit : kUnits) {
    const double value = static_cast<double>(time_ns) / unit.ns;
    if (value >= 100) return fmt::format("{:.0f} {}", value, unit.name);
    if (value >= 1) return fmt::format("{:.3g} {}", value, unit.name);
  }
  return fmt::format("{} ns", time_ns);
}

std::string human_share(double share) { return fmt::format("{:.2f} %", share * 100); }

std::string recording_text(const profile::Profile& profile) {
  const profile::Recording& recording = profile.recording;
  std::vector<std::string> parts;
  if (!profile.processes().empty() && !profile.processes().front().python.empty()) {
    parts.push_back("Python " + clean(profile.processes().front().python));
  }
  const auto merged = recording.quality.more.find(std::string(profile::kMergedRecordings));
  if (merged != recording.quality.more.end()) parts.push_back(with_commas(merged->second) + " recordings");
  if (recording.rate_hz > 0) {
    parts.push_back(fmt::format("{:.6g} Hz", recording.rate_hz));
  } else if (recording.quality.ticks > 0 && merged == recording.quality.more.end()) {
    parts.emplace_back("as fast as possible");
  }
  if (recording.duration_ns > 0) parts.push_back(human_time(recording.duration_ns));
  if (recording.mode != profile::Mode::unknown) parts.push_back(std::string(name(recording.mode)) + " mode");
  return joined(parts);
}

std::string quality_text(const profile::Profile& profile) {
  const profile::Quality& quality = profile.recording.quality;
  const bool only_time = profile.total_ticks() == 0 && profile.total_weight_ns() > 0;
  std::vector<std::string> parts = {only_time ? human_time(profile.total_weight_ns())
                                              : with_commas(profile.total_ticks()) + " samples"};
  if (quality == profile::Quality{}) return joined(parts);  // nobody counted the losses
  if (const auto lost = quality.more.find(std::string(profile::kLostEvents)); lost != quality.more.end()) {
    parts.push_back(with_commas(lost->second) + " events lost");
  }
  parts.push_back(with_commas(quality.missed_ticks) + " missed");
  parts.push_back(with_commas(quality.torn) + " torn");
  if (quality.unreadable > 0) parts.push_back(with_commas(quality.unreadable) + " unreadable");
  if (quality.truncated > 0) parts.push_back(with_commas(quality.truncated) + " truncated");
  if (profile.recording.native) parts.push_back(with_commas(quality.unmerged) + " unmerged");
  if (quality.native_truncated > 0) parts.push_back(with_commas(quality.native_truncated) + " C stacks truncated");
  if (quality.guessed > 0) parts.push_back(with_commas(quality.guessed) + " guessed");
  return joined(parts);
}

std::string command_text(const profile::Profile& profile) {
  if (profile.processes().empty()) return "";
  const std::string command = clean(profile.processes().front().command);
  const std::size_t others = profile.processes().size() - 1;
  if (others == 0) return command;
  if (command.empty()) return fmt::format("{} processes", others + 1);
  return fmt::format("{} and {} more {}", command, others, others == 1 ? "process" : "processes");
}

}  // namespace flametap::format
