#include "format/austin.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <system_error>

#include "format/folded_frame.h"
#include "format/limits.h"

namespace flametap::format {
namespace {

constexpr std::uint64_t kMaxMicroseconds = kMaxSum / 1000;

struct Parts {
  std::string_view process;  // without the P
  std::string_view thread;   // without the T
  std::string_view frames;
  std::string_view metric;
};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string_view take_until(std::string_view& rest, char end) {
  const std::size_t place = rest.find(end);
  const std::string_view part = rest.substr(0, place);
  rest.remove_prefix(place == std::string_view::npos ? rest.size() : place + 1);
  return part;
}

std::optional<Parts> split(std::string_view line) {
  const std::size_t blank = line.rfind(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(0, blank);
  Parts parts{.process = take_until(rest, ';'),
              .thread = take_until(rest, ';'),
              .frames = rest,
              .metric = line.substr(blank + 1)};
  if (!parts.process.starts_with('P') || !parts.thread.starts_with('T')) return std::nullopt;
  parts.process.remove_prefix(1);
  parts.thread.remove_prefix(1);
  if (!is_number(parts.process) || parts.thread.empty()) return std::nullopt;
  return parts;
}

// `0:4712`, interpreter and thread; older versions write the thread alone, and as a hexadecimal number.
ThreadParts thread_parts(const Parts& parts) {
  ThreadParts thread{.pid = parse_number<std::int32_t>(parts.process).value_or(0)};
  const std::string_view text = parts.thread.substr(parts.thread.find(':') + 1);  // npos + 1 is 0
  if (const std::optional<std::uint64_t> number = parse_number<std::uint64_t>(text)) {
    thread.id = *number;
    return thread;
  }
  const std::string_view digits = text.substr(text.starts_with("0x") ? 2 : 0);
  const std::from_chars_result end = std::from_chars(digits.data(), digits.data() + digits.size(), thread.id, 16);
  if (end.ec != std::errc{} || end.ptr != digits.data() + digits.size()) {
    thread.id = 0;
    thread.name = text;
  }
  return thread;
}

}  // namespace

void AustinLines::read_remark(std::string_view line) {
  line.remove_prefix(line.starts_with("# ") ? 2 : 1);
  const std::string_view key = take_until(line, ':');
  const std::string_view value = line.substr(line.starts_with(' ') ? 1 : 0);
  if (key == "austin") announced_ = true;
  if (!announced_) return;
  const std::uint64_t number = parse_number<std::uint64_t>(value).value_or(0);
  if (key == "mode") mode_ = value;
  if (key == "interval") interval_us_ = number;
  if (key == "duration" && number <= kMaxMicroseconds) duration_us_ = number;
}

// Without its remarks, a first frame that is not a Python one tells nothing.
bool AustinLines::knows(std::string_view line) const {
  const std::optional<Parts> parts = split(line);
  if (!parts) return false;
  std::string_view frames = parts->frames;
  return announced_ || parse_pyflame_frame(take_until(frames, ';')).has_value();
}

bool AustinLines::parse_metric(std::string_view text, Metric& metric) const {
  const std::string_view first = take_until(text, ',');
  const std::optional<std::uint64_t> number = parse_number<std::uint64_t>(first);
  if (!number || *number > kMaxMicroseconds) return false;
  metric = {.time_us = *number, .idle = take_until(text, ',') == "1"};
  return true;
}

bool AustinLines::read(std::string_view line, ProfileImport& import) {
  const std::optional<Parts> parts = split(line);
  Metric metric;
  if (!parts || !parse_metric(parts->metric, metric)) return false;
  profile::StackId stack = profile::kEmptyStack;
  for (std::string_view rest = parts->frames; !rest.empty();) {
    const std::string_view text = take_until(rest, ';');
    const std::optional<FrameParts> frame = parse_austin_frame(text);
    if (text.starts_with('#')) return false;  // would read back as a remark
    const std::optional<profile::StackId> pushed = import.push(stack, import.frame(frame ? *frame : parse_frame(text)));
    if (!pushed) return false;
    stack = *pushed;
  }
  const std::optional<profile::ThreadId> thread = import.thread(thread_parts(*parts));
  if (!thread) return false;
  const bool is_memory = mode_ == "memory";
  const bool knows_idle = mode_ == "full" || mode_ == "cpu";
  const std::uint64_t time_us = is_memory ? 0 : time_of(*thread, metric.time_us);
  if (time_us > kMaxMicroseconds) return false;
  samples_ += 1;
  return import.add({.time_ns = time_us * 1000,
                     .weight_ns = is_memory ? 0 : metric.time_us * 1000,
                     .thread = *thread,
                     .stack = stack,
                     .ticks = is_memory ? metric.time_us : 1,
                     .state = knows_idle && !metric.idle ? stack::kOnCpu : stack::State{0}});
}

// A new moment begins when the metric changes, or when the thread had its sample of this one.
std::uint64_t AustinLines::time_of(profile::ThreadId thread, std::uint64_t weight_us) {
  std::uint64_t& last = last_moment_[static_cast<std::uint32_t>(thread)];
  if (moment_ == 0 || weight_us != weight_us_ || last == moment_) {
    start_us_ += std::min(weight_us_, std::numeric_limits<std::uint64_t>::max() - start_us_);
    weight_us_ = weight_us;
    ++moment_;
  }
  last = moment_;
  return start_us_;
}

void AustinLines::finish(ProfileImport& import, std::vector<std::string>& warnings) const {
  if (samples_ == 0) return;
  profile::Recording& recording = import.profile.recording;
  if (interval_us_ > 0) recording.rate_hz = 1e6 / static_cast<double>(interval_us_);
  recording.duration_ns = (duration_us_ > 0 ? duration_us_ : std::min(start_us_ + weight_us_, kMaxMicroseconds)) * 1000;
  // In its mode `wall` nobody knows which threads were idle; the others say so.
  if (mode_ == "full") recording.mode = profile::Mode::wall;
  if (mode_ == "cpu") recording.mode = profile::Mode::cpu;
  if (mode_ == "memory") warnings.emplace_back("its numbers are bytes of memory, not time: they are shown as counts");
}

}  // namespace flametap::format
