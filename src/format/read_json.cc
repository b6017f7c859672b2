#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/json.h"
#include "format/json_document.h"
#include "format/limits.h"
#include "format/text.h"

namespace flametap::format {
namespace {

using nlohmann::json;
using profile::Profile;

// Carries an Error out of the nested readers below; read_json catches it. A Result at every number would bury the
// format under its checks.
struct Refused {
  Error error;
};

[[noreturn]] void refuse(const std::string& place, const std::string& reason) {
  throw Refused{Error{Failure::failed, place + ": " + reason, ""}};
}

std::string place_of(const std::string& table, std::size_t row) { return table + "[" + std::to_string(row) + "]"; }

const json& member(const json& object, const std::string& place, const char* key) {
  if (!object.is_object()) refuse(place, "is not an object");
  const auto found = object.find(key);
  if (found == object.end()) refuse(place, std::string("has no \"") + key + "\"");
  return *found;
}

std::uint64_t number(const json& value, const std::string& place, std::uint64_t max) {
  if (!value.is_number_unsigned()) refuse(place, "is not a whole number from 0 on");
  const auto result = value.get<std::uint64_t>();
  if (result > max) refuse(place, std::to_string(result) + " is more than " + std::to_string(max));
  return result;
}

std::uint64_t count(const json& object, const std::string& place, const char* key) {
  return number(member(object, place, key), place + "." + key, std::numeric_limits<std::uint64_t>::max());
}

const std::string& text(const json& object, const std::string& place, const char* key) {
  const json& value = member(object, place, key);
  if (!value.is_string()) refuse(place + "." + key, "is not a string");
  return value.get_ref<const std::string&>();
}

// One column of a table: an array of numbers, each of which is at most `max` or below the size of another table.
class Column {
 public:
  Column(const json& table, const std::string& place, const char* key)
      : place_(place + "." + key), values_(member(table, place, key)) {
    if (!values_.is_array()) refuse(place_, "is not an array");
  }

  [[nodiscard]] std::size_t size() const { return values_.size(); }

  [[nodiscard]] std::uint64_t at_most(std::size_t row, std::uint64_t max) const {
    const json& value = values_[row];
    if (value.is_number_unsigned() && value.get<std::uint64_t>() <= max) return value.get<std::uint64_t>();
    return number(value, place_of(place_, row), max);
  }

  [[nodiscard]] std::int32_t line(std::size_t row) const {
    return static_cast<std::int32_t>(at_most(row, std::numeric_limits<std::int32_t>::max()));
  }

  // What the id stands for here: `ids` has the new id of every row that was read.
  template <typename Id>
  [[nodiscard]] Id id(std::size_t row, const std::vector<Id>& ids) const {
    const std::uint64_t old = at_most(row, std::numeric_limits<std::uint64_t>::max());
    if (old >= ids.size()) {
      refuse(place_of(place_, row), std::to_string(old) + " is out of range, there are " + std::to_string(ids.size()));
    }
    return ids[old];
  }

  void must_have(std::size_t rows) const {
    if (size() != rows) {
      refuse(place_, "has " + std::to_string(size()) + " entries, its table has " + std::to_string(rows));
    }
  }

 private:
  std::string place_;
  const json& values_;
};

// Reads the tables in the order in which they build on each other, and keeps what each id became.
class JsonReader {
 public:
  explicit JsonReader(const json& root) : root_(root) {}

  Profile read() && {
    const std::uint64_t version = count(root_, "the file", "flametap");
    if (version < kJsonOldestVersion || version > kJsonVersion) {
      refuse("flametap", "version " + std::to_string(version) + " of this format is not known here, only up to " +
                             std::to_string(kJsonVersion));
    }
    read_recording();
    read_processes();
    read_threads();
    read_strings();
    read_functions();
    read_frames();
    read_stacks();
    read_samples();
    if (root_.contains("sources")) read_sources();
    return std::move(profile_);
  }

 private:
  void read_recording() {
    const json& from = member(root_, "the file", "recording");
    profile::Recording& to = profile_.recording;
    to.start_unix_ns = count(from, "recording", "start_unix_ns");
    to.duration_ns = count(from, "recording", "duration_ns");
    const json& rate = member(from, "recording", "rate_hz");
    if (!rate.is_number() || rate.get<double>() < 0) refuse("recording.rate_hz", "is not a number from 0 on");
    to.rate_hz = rate.get<double>();
    const std::string& mode = text(from, "recording", "mode");
    const std::optional<profile::Mode> known = profile::mode_by_name(mode);
    if (!known) refuse("recording.mode", "'" + clean(mode.substr(0, 20)) + "' is not a mode");
    to.mode = *known;
    to.ended = text(from, "recording", "ended");
    if (const auto native = from.find("native"); native != from.end()) {
      if (!native->is_boolean()) refuse("recording.native", "is neither true nor false");
      to.native = native->get<bool>();
    }
    read_quality(member(from, "recording", "quality"), to.quality);
  }

  static void read_quality(const json& from, profile::Quality& to) {
    const std::string place = "recording.quality";
    to.ticks = count(from, place, "ticks");
    to.missed_ticks = count(from, place, "missed_ticks");
    const json& steps = member(from, place, "steps");
    to.free_running = count(steps, place + ".steps", "free_running");
    if (steps.contains("interrupted")) to.interrupted = count(steps, place + ".steps", "interrupted");
    to.ride_along = count(steps, place + ".steps", "ride_along");
    to.paused = count(steps, place + ".steps", "paused");
    to.torn = count(from, place, "torn");
    to.unreadable = count(from, place, "unreadable");
    to.no_frames = count(from, place, "no_frames");
    to.truncated = count(from, place, "truncated");
    if (from.contains("median_sample_ns")) {  // files of earlier builds have neither
      to.median_sample_ns = count(from, place, "median_sample_ns");
      to.slowest_sample_ns = count(from, place, "slowest_sample_ns");
    }
    if (from.contains("unmerged")) {
      to.unmerged = count(from, place, "unmerged");
      to.native_truncated = count(from, place, "native_truncated");
      to.guessed = count(from, place, "guessed");
      to.median_stop_ns = count(from, place, "median_stop_ns");
    }
    const json& more = member(from, place, "more");
    if (!more.is_object()) refuse(place + ".more", "is not an object");
    for (const auto& [name, value] : more.items()) {
      to.more[name] = number(value, place + ".more", std::numeric_limits<std::uint64_t>::max());
    }
  }

  void read_processes() {
    const json& from = array("processes");
    for (std::size_t row = 0; row < from.size(); ++row) {
      const std::string place = place_of("processes", row);
      const std::uint64_t pid =
          number(member(from[row], place, "pid"), place + ".pid", std::numeric_limits<std::int32_t>::max());
      processes_.push_back(profile_.add(profile::Process{
          static_cast<std::int32_t>(pid), text(from[row], place, "command"), text(from[row], place, "python")}));
    }
  }

  void read_threads() {
    const json& from = array("threads");
    for (std::size_t row = 0; row < from.size(); ++row) {
      const std::string place = place_of("threads", row);
      const std::uint64_t process = count(from[row], place, "process");
      if (process >= processes_.size()) refuse(place + ".process", "there is no process " + std::to_string(process));
      threads_.push_back(profile_.add(
          profile::Thread{processes_[process], count(from[row], place, "id"), text(from[row], place, "name")}));
    }
  }

  void read_strings() {
    const json& from = array("strings");
    for (std::size_t row = 0; row < from.size(); ++row) {
      if (!from[row].is_string()) refuse(place_of("strings", row), "is not a string");
      strings_.push_back(profile_.intern(from[row].get_ref<const std::string&>()));
    }
  }

  void read_functions() {
    const json& from = member(root_, "the file", "functions");
    const Column name(from, "functions", "name");
    const Column file(from, "functions", "file");
    const Column first_line(from, "functions", "first_line");
    const Column kind(from, "functions", "kind");
    std::optional<Column> module;  // files of earlier builds have none
    if (from.contains("module")) module.emplace(from, "functions", "module");
    for (const Column* column : {&file, &first_line, &kind}) column->must_have(name.size());
    if (module) module->must_have(name.size());
    const auto last_kind = static_cast<std::uint64_t>(profile::kLastFrameKind);
    for (std::size_t row = 0; row < name.size(); ++row) {
      functions_.push_back(
          profile_.intern(profile::Function{name.id(row, strings_), file.id(row, strings_), first_line.line(row),
                                            static_cast<profile::FrameKind>(kind.at_most(row, last_kind)),
                                            module ? module->id(row, strings_) : profile::kEmptyText}));
    }
  }

  void read_frames() {
    const json& from = member(root_, "the file", "frames");
    const Column function(from, "frames", "function");
    const Column line(from, "frames", "line");
    line.must_have(function.size());
    for (std::size_t row = 0; row < function.size(); ++row) {
      frames_.push_back(profile_.intern(profile::Frame{function.id(row, functions_), line.line(row)}));
    }
  }

  // A stack may only name a parent that was read before it, so there is no cycle.
  void read_stacks() {
    const json& from = member(root_, "the file", "stacks");
    const Column parent(from, "stacks", "parent");
    const Column frame(from, "stacks", "frame");
    frame.must_have(parent.size());
    stacks_.push_back(profile::kEmptyStack);
    std::vector<std::uint32_t> depths = {0};
    for (std::size_t row = 0; row < parent.size(); ++row) {
      const profile::StackId parent_id = parent.id(row, stacks_);
      const std::uint32_t depth = depths[parent.at_most(row, depths.size() - 1)] + 1;
      if (depth > kMaxStackDepth) {
        refuse(place_of("stacks.parent", row), "is deeper than " + std::to_string(kMaxStackDepth) + " frames");
      }
      depths.push_back(depth);
      stacks_.push_back(profile_.push(parent_id, frame.id(row, frames_)));
    }
  }

  void read_samples() {
    const json& from = member(root_, "the file", "samples");
    const Column time(from, "samples", "time_ns");
    const Column weight(from, "samples", "weight_ns");
    const Column thread(from, "samples", "thread");
    const Column stack(from, "samples", "stack");
    const Column ticks(from, "samples", "ticks");
    const Column state(from, "samples", "state");
    for (const Column* column : {&weight, &thread, &stack, &ticks, &state}) column->must_have(time.size());
    for (std::size_t row = 0; row < time.size(); ++row) {
      const std::uint64_t weight_left = kMaxSum - profile_.total_weight_ns();
      const std::uint64_t ticks_left = kMaxSum - profile_.total_ticks();
      profile_.add(profile::Sample{.time_ns = time.at_most(row, kMaxSum),
                                   .weight_ns = weight.at_most(row, weight_left),
                                   .thread = thread.id(row, threads_),
                                   .stack = stack.id(row, stacks_),
                                   .ticks = ticks.at_most(row, ticks_left),
                                   .state = static_cast<stack::State>(state.at_most(row, 255))});
    }
  }

  void read_sources() {
    const json& from = member(root_, "the file", "sources");
    const Column path(from, "sources", "path");
    const json& texts = member(from, "sources", "text");
    if (!texts.is_array() || texts.size() != path.size())
      refuse("sources.text", "is not an array with a text for each path");
    for (std::size_t row = 0; row < path.size(); ++row) {
      if (!texts[row].is_string()) refuse(place_of("sources.text", row), "is not a string");
      if (!profile_.add_source(path.id(row, strings_), texts[row].get<std::string>()))
        refuse(place_of("sources.text", row), "is too large, or its file is there already");
    }
  }

  const json& array(const char* key) {
    const json& value = member(root_, "the file", key);
    if (!value.is_array()) refuse(key, "is not an array");
    return value;
  }

  const json& root_;
  Profile profile_;
  std::vector<profile::ProcessId> processes_;
  std::vector<profile::ThreadId> threads_;
  std::vector<profile::StringId> strings_;
  std::vector<profile::FunctionId> functions_;
  std::vector<profile::FrameId> frames_;
  std::vector<profile::StackId> stacks_;
};

}  // namespace

Result<Profile> read_json(std::string_view text) {
  const Result<json> root = parse_json(text);
  if (!root) return root.error();
  try {
    return JsonReader(*root).read();
  } catch (const Refused& refused) {
    return refused.error;
  }
}

}  // namespace flametap::format
