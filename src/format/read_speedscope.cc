#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/json_document.h"
#include "format/limits.h"
#include "format/profile_import.h"
#include "format/speedscope.h"
#include "format/text.h"
#include "format/thread_label.h"

namespace flametap::format {
namespace {

using nlohmann::json;
using profile::StackId;

// The member of an object, or null: nothing in these files is sure to be there.
const json& member(const json& object, const char* key) {
  static const json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

std::string_view text_of(const json& value) {
  return value.is_string() ? std::string_view(value.get_ref<const std::string&>()) : std::string_view();
}

std::int32_t line_of(const json& value) {
  if (!value.is_number_unsigned()) return 0;
  const auto line = value.get<std::uint64_t>();
  return line <= std::numeric_limits<std::int32_t>::max() ? static_cast<std::int32_t>(line) : 0;
}

// A number from 0 on, times `factor`, if it can be in a sum.
std::optional<std::uint64_t> scaled(const json& value, double factor) {
  if (value.is_number_unsigned() && factor == 1) {
    const auto whole = value.get<std::uint64_t>();
    return whole <= kMaxSum ? std::optional(whole) : std::nullopt;
  }
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>() * factor;
  if (!(number >= 0) || number >= static_cast<double>(kMaxSum)) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(number));
}

struct Unit {
  bool is_time = false;
  double factor = 1;  // to nanoseconds, where it is time
};

class SpeedscopeReader {
 public:
  SpeedscopeReader(const json& root, const ReadOptions& options) : root_(root), import_(options.max_rows) {}

  Result<ReadProfile> read() && {
    const json& profiles = member(root_, "profiles");
    if (!profiles.is_array() || profiles.empty()) return Error{Failure::failed, "there are no profiles in it", ""};
    import_.name_process(command());
    read_frames();
    start_ = earliest(profiles);
    for (const json& profile : profiles) read_profile(profile);
    if (import_.profile.samples().empty() && lost_ > 0) {
      return Error{Failure::failed, "none of its samples could be read", ""};
    }
    if (lost_ > 0) {
      warnings_.push_back(with_commas(lost_) + (lost_ == 1 ? " sample or event was" : " samples or events were") +
                          " damaged and left out");
    }
    import_.profile.recording.duration_ns = end_ns_;
    return ReadProfile{std::move(import_.profile), std::move(warnings_)};
  }

 private:
  // Ours has the command line and, in brackets, the quality counts as its name.
  std::string command() const {
    std::string_view name = text_of(member(root_, "name"));
    if (!text_of(member(root_, "exporter")).starts_with("flametap ")) return std::string(name);
    return std::string(name.substr(0, name.rfind(" (")));
  }

  void read_frames() {
    const json& frames = member(member(root_, "shared"), "frames");
    if (!frames.is_array()) return;
    for (const json& frame : frames) {
      FrameParts parts{.name = text_of(member(frame, "name")),
                       .file = text_of(member(frame, "file")),
                       .line = line_of(member(frame, "line")),
                       .module = text_of(member(frame, "module"))};
      if (parts.name.empty()) parts.name = "(unknown)";
      if (parts.file.empty() && is_marker(parts.name)) parts.kind = profile::FrameKind::marker;
      // Ours; of another tool's word nobody knows what it means, unless it is the same.
      parts.kind = profile::frame_kind_by_name(text_of(member(frame, "kind"))).value_or(parts.kind);
      frames_.push_back(import_.frame(parts));
    }
  }

  Unit unit_of(const json& profile) const {
    const std::string_view unit = text_of(member(profile, "unit"));
    if (unit == "nanoseconds") return {true, 1};
    if (unit == "microseconds") return {true, 1e3};
    if (unit == "milliseconds") return {true, 1e6};
    if (unit == "seconds") return {true, 1e9};
    return {};
  }

  // Where the profiles begin, in nanoseconds: some tools count from 1970.
  double earliest(const json& profiles) const {
    std::optional<double> start;
    for (const json& profile : profiles) {
      const json& value = member(profile, "startValue");
      const double ns = value.is_number() ? value.get<double>() * unit_of(profile).factor : 0;
      start = std::min(start.value_or(ns), ns);
    }
    return start.value_or(0);
  }

  std::uint64_t time_since_start(double ns) const {
    const double time = ns - start_;
    if (!(time > 0)) return 0;
    return time >= static_cast<double>(kMaxSum) ? kMaxSum : static_cast<std::uint64_t>(time);
  }

  void read_profile(const json& profile) {
    const std::optional<profile::ThreadId> thread =
        import_.new_thread(parse_thread_label(text_of(member(profile, "name"))));
    if (!thread) {
      ++lost_;
      return;
    }
    read_rate(member(profile, "rate_hz"));
    const Unit unit = unit_of(profile);
    if (text_of(member(profile, "unit")) == "bytes" && !warned_of_bytes_) {
      warnings_.emplace_back("its numbers are bytes, not time: they are shown as counts");
      warned_of_bytes_ = true;
    }
    if (text_of(member(profile, "type")) == "evented") {
      read_events(profile, *thread, unit);
    } else {
      read_samples(profile, *thread, unit);
    }
  }

  // flametap's own; the same in all profiles.
  void read_rate(const json& rate) {
    if (rate.is_number() && rate.get<double>() > 0) import_.profile.recording.rate_hz = rate.get<double>();
  }

  void read_samples(const json& profile, profile::ThreadId thread, const Unit& unit) {
    const json& samples = member(profile, "samples");
    const json& weights = member(profile, "weights");
    const json& ticks = member(profile, "ticks");  // flametap's own
    if (!samples.is_array() || !weights.is_array()) {
      ++lost_;
      return;
    }
    const std::size_t count = std::min(samples.size(), weights.size());
    lost_ += std::max(samples.size(), weights.size()) - count;
    const bool has_ticks = ticks.is_array() && ticks.size() == samples.size();
    const json& start = member(profile, "startValue");
    std::uint64_t time = unit.is_time && start.is_number() ? time_since_start(start.get<double>() * unit.factor) : 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::optional<StackId> stack = stack_of(samples[i]);
      const std::optional<std::uint64_t> weight = scaled(weights[i], unit.factor);
      const std::optional<std::uint64_t> counted_ticks = has_ticks ? scaled(ticks[i], 1) : std::uint64_t{1};
      if (!stack || !weight || !counted_ticks) {
        ++lost_;
        continue;
      }
      if (unit.is_time) {
        add_timed(thread, *stack, time, *weight, *counted_ticks);
        time = std::min(time + *weight, kMaxSum);
      } else {
        add({.time_ns = 0, .weight_ns = 0, .thread = thread, .stack = *stack, .ticks = *weight, .state = 0});
      }
    }
  }

  std::optional<StackId> stack_of(const json& sample) {
    if (!sample.is_array()) return std::nullopt;
    std::optional<StackId> stack = profile::kEmptyStack;
    for (const json& place : sample) {
      const std::optional<std::uint64_t> index = scaled(place, 1);
      if (!index || *index >= frames_.size()) return std::nullopt;
      stack = import_.push(*stack, frames_[*index]);
      if (!stack) return std::nullopt;
    }
    return stack;
  }

  // Frames open and close; what is between two events has one stack. Nobody counted ticks here.
  void read_events(const json& profile, profile::ThreadId thread, const Unit& unit) {
    const json& events = member(profile, "events");
    if (!events.is_array()) {
      ++lost_;
      return;
    }
    StackId stack = profile::kEmptyStack;
    const json& start = member(profile, "startValue");
    double last = (start.is_number() ? start.get<double>() : 0) * unit.factor;
    const auto pass_time = [&](const json& value) {
      if (!value.is_number()) return false;
      const double at = value.get<double>() * unit.factor;
      if (!(at >= last)) return false;
      if (stack != profile::kEmptyStack) add_span(thread, stack, last, at, unit);
      last = at;
      return true;
    };
    for (const json& event : events) {
      const std::optional<std::uint64_t> index = scaled(member(event, "frame"), 1);
      if (!index || *index >= frames_.size() || !pass_time(member(event, "at"))) {
        ++lost_;
        continue;
      }
      if (!apply_event(text_of(member(event, "type")), frames_[*index], stack)) ++lost_;
    }
    (void)pass_time(member(profile, "endValue"));
  }

  bool apply_event(std::string_view type, profile::FrameId frame, StackId& stack) {
    if (type == "O") {
      const std::optional<StackId> pushed = import_.push(stack, frame);
      if (pushed) stack = *pushed;
      return pushed.has_value();
    }
    if (type != "C" || stack == profile::kEmptyStack || import_.profile.stack(stack).frame != frame) return false;
    stack = import_.profile.stack(stack).parent;
    return true;
  }

  void add_span(profile::ThreadId thread, StackId stack, double from, double to, const Unit& unit) {
    const std::uint64_t start = time_since_start(from);
    const std::uint64_t length = time_since_start(to) - start;
    if (length == 0) return;
    if (unit.is_time) {
      add_timed(thread, stack, start, length, 0);
    } else {
      add({.time_ns = 0, .weight_ns = 0, .thread = thread, .stack = stack, .ticks = length, .state = 0});
    }
  }

  void add_timed(profile::ThreadId thread, StackId stack, std::uint64_t time, std::uint64_t weight,
                 std::uint64_t ticks) {
    add({.time_ns = time, .weight_ns = weight, .thread = thread, .stack = stack, .ticks = ticks, .state = 0});
    end_ns_ = std::max(end_ns_, std::min(time + weight, kMaxSum));
  }

  void add(const profile::Sample& sample) {
    if (!import_.add(sample)) ++lost_;
  }

  const json& root_;
  ProfileImport import_;
  std::vector<profile::FrameId> frames_;
  std::vector<std::string> warnings_;
  std::uint64_t lost_ = 0;
  bool warned_of_bytes_ = false;
  double start_ = 0;
  std::uint64_t end_ns_ = 0;
};

}  // namespace

Result<ReadProfile> read_speedscope(std::string_view text, const ReadOptions& options) {
  const Result<json> root = parse_json(text);
  if (!root) return root.error();
  return SpeedscopeReader(*root, options).read();
}

}  // namespace flametap::format
