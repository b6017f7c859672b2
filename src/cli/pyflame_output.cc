#include "cli/pyflame_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "format/text.h"

namespace flametap::cli {
namespace {

constexpr std::string_view kIdleText = "(idle)";
constexpr std::string_view kFailedText = "(failed)";

// A part of a frame must be something, and `;` ends a frame.
std::string clean_part(std::string_view text) {
  std::string part = format::clean(text);
  std::ranges::replace(part, ';', ',');
  return part.empty() ? "?" : part;
}

bool is_marker(PyflameLog::LineId line) { return line == PyflameLog::kIdle || line == PyflameLog::kFailed; }

bool could_be_read(stack::Outcome outcome) {
  return outcome == stack::Outcome::complete || outcome == stack::Outcome::truncated;
}

std::string stack_of(const DumpedThread& thread) {
  if (!could_be_read(thread.outcome)) return fmt::format("{}\n", kFailedText);
  std::string text;
  for (const sampler::NamedFrame& frame : thread.frames) text += pyflame_text(frame, true) + "\n";
  if (thread.outcome == stack::Outcome::truncated) text += pyflame_text(kTruncatedFrame, true) + "\n";
  return text;
}

std::string text_of(const PyflameFrame& frame, bool line_numbers) {
  std::string name = clean_part(frame.name);
  // Readers find the name between the last two colons, whatever stands in the path.
  std::ranges::replace(name, ':', '_');
  const std::string text = fmt::format("{}:{}", clean_part(frame.file), name);
  return line_numbers ? fmt::format("{}:{}", text, std::max(frame.line, 0)) : text;
}

}  // namespace

std::string pyflame_text(const PyflameFrame& frame, bool line_numbers) {
  return text_of({frame.file, frame.name.substr(frame.name.rfind('.') + 1), frame.line}, line_numbers);
}

std::string pyflame_text(const sampler::NamedFrame& frame, bool line_numbers) {
  if (frame.kind == profile::FrameKind::python) return pyflame_text({frame.file, frame.name, frame.line}, line_numbers);
  return text_of({"0xc", frame.name, 0}, line_numbers);
}

PyflameLog::PyflameLog(Options options) : options_(options) {
  lines_.intern(kIdleText);
  lines_.intern(kFailedText);
  counts_.resize(lines_.size());
}

PyflameLog::LineId PyflameLog::line_of(const std::vector<std::string>& frames) {
  const LineId line = lines_.intern(fmt::format("{}", fmt::join(frames, ";")));
  counts_.resize(lines_.size());
  return line;
}

void PyflameLog::add(LineId line, std::uint64_t unix_us) {
  ++samples_;
  if (line == kIdle && options_.exclude_idle) return;
  ++counts_[static_cast<std::size_t>(line)];
  if (options_.flamechart) moments_.push_back({unix_us, line});
}

std::string PyflameLog::collapsed() const {
  std::vector<std::pair<std::string_view, std::uint64_t>> stacks;
  std::string text;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    if (is_marker(LineId(i))) {
      text += fmt::format("{} {}\n", lines_[LineId(i)], counts_[i]);
    } else {
      stacks.emplace_back(lines_[LineId(i)], counts_[i]);
    }
  }
  std::ranges::sort(stacks);
  for (const auto& [stack, count] : stacks) text += fmt::format("{} {}\n", stack, count);
  return text;
}

std::string PyflameLog::flamechart() const {
  std::string text;
  for (const Moment& moment : moments_) {
    text += fmt::format("{}\n{}{}\n", moment.unix_us, lines_[moment.line], is_marker(moment.line) ? "" : ";");
  }
  return text;
}

std::string pyflame_text(const ThreadDump& dump) {
  std::string text;
  for (const DumpedThread& thread : dump.threads) {
    if (thread.outcome == stack::Outcome::no_frames) continue;
    if (!text.empty()) text += "\n";
    text += fmt::format("{}{}:\n{}", thread.ident.value_or(0), thread.holds_gil ? "*" : "", stack_of(thread));
  }
  return text;
}

}  // namespace flametap::cli
