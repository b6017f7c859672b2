#include "format/json.h"

#include <cstddef>
#include <cstdint>

#include "format/json_writer.h"
#include "format/recording_json.h"

namespace flametap::format {
namespace {

using profile::Profile;

// "name": [get(0), get(1), ...]
template <typename Get>
void write_column(JsonWriter& json, std::string_view name, std::size_t from, std::size_t to, const Get& get) {
  json.key(name).begin_array();
  for (std::size_t i = from; i < to; ++i) json.value(get(i));
  json.end_array();
}

// The oldest version whose readers understand all of it: frames of the C stack came with the second one.
std::uint32_t version_of(const Profile& profile) {
  for (std::size_t i = 0; i < profile.function_count(); ++i) {
    if (profile.function(profile::FunctionId(i)).kind > profile::FrameKind::marker) return kJsonVersion;
  }
  return kJsonOldestVersion;
}

void write_recording(JsonWriter& json, const profile::Recording& recording) {
  json.key("recording").begin_object();
  json.member("start_unix_ns", recording.start_unix_ns);
  json.member("duration_ns", recording.duration_ns);
  json.member("rate_hz", recording.rate_hz);
  json.member("mode", name(recording.mode));
  json.member("native", recording.native);
  json.member("ended", recording.ended);
  json.key("quality").begin_object();
  write_quality(json, recording.quality);
  json.end_object();
  json.end_object();
}

void write_processes_and_threads(JsonWriter& json, const Profile& profile) {
  json.key("processes").begin_array();
  for (const profile::Process& process : profile.processes()) {
    json.begin_object();
    json.member("pid", process.pid).member("command", process.command).member("python", process.python);
    json.end_object();
  }
  json.end_array();
  json.key("threads").begin_array();
  for (const profile::Thread& thread : profile.threads()) {
    json.begin_object();
    json.member("process", static_cast<std::uint32_t>(thread.process)).member("id", thread.id);
    json.member("name", thread.name);
    json.end_object();
  }
  json.end_array();
}

void write_functions(JsonWriter& json, const Profile& profile) {
  const std::size_t count = profile.function_count();
  const auto function = [&](std::size_t i) { return profile.function(profile::FunctionId(i)); };
  json.key("functions").begin_object();
  write_column(json, "name", 0, count, [&](std::size_t i) { return static_cast<std::uint32_t>(function(i).name); });
  write_column(json, "file", 0, count, [&](std::size_t i) { return static_cast<std::uint32_t>(function(i).file); });
  write_column(json, "first_line", 0, count, [&](std::size_t i) { return function(i).first_line; });
  write_column(json, "kind", 0, count, [&](std::size_t i) { return static_cast<std::uint32_t>(function(i).kind); });
  write_column(json, "module", 0, count, [&](std::size_t i) { return static_cast<std::uint32_t>(function(i).module); });
  json.end_object();
}

void write_frames_and_stacks(JsonWriter& json, const Profile& profile) {
  const auto frame = [&](std::size_t i) { return profile.frame(profile::FrameId(i)); };
  const std::size_t frames = profile.frame_count();
  json.key("frames").begin_object();
  write_column(json, "function", 0, frames,
               [&](std::size_t i) { return static_cast<std::uint32_t>(frame(i).function); });
  write_column(json, "line", 0, frames, [&](std::size_t i) { return frame(i).line; });
  json.end_object();

  const auto stack = [&](std::size_t i) { return profile.stack(profile::StackId(i)); };
  const std::size_t stacks = profile.stack_count();  // number 0, the empty one, is not listed
  json.key("stacks").begin_object();
  write_column(json, "parent", 1, stacks, [&](std::size_t i) { return static_cast<std::uint32_t>(stack(i).parent); });
  write_column(json, "frame", 1, stacks, [&](std::size_t i) { return static_cast<std::uint32_t>(stack(i).frame); });
  json.end_object();
}

void write_samples(JsonWriter& json, const Profile& profile) {
  const std::vector<profile::Sample>& samples = profile.samples();
  const std::size_t count = samples.size();
  json.key("samples").begin_object();
  write_column(json, "time_ns", 0, count, [&](std::size_t i) { return samples[i].time_ns; });
  write_column(json, "weight_ns", 0, count, [&](std::size_t i) { return samples[i].weight_ns; });
  write_column(json, "thread", 0, count, [&](std::size_t i) { return static_cast<std::uint32_t>(samples[i].thread); });
  write_column(json, "stack", 0, count, [&](std::size_t i) { return static_cast<std::uint32_t>(samples[i].stack); });
  write_column(json, "ticks", 0, count, [&](std::size_t i) { return samples[i].ticks; });
  write_column(json, "state", 0, count, [&](std::size_t i) { return static_cast<std::uint32_t>(samples[i].state); });
  json.end_object();
}

void write_sources(JsonWriter& json, const Profile& profile) {
  json.key("sources").begin_object();
  json.key("path").begin_array();
  for (const auto& [path, text] : profile.sources()) json.value(static_cast<std::uint32_t>(path));
  json.end_array();
  json.key("text").begin_array();
  for (const auto& [path, text] : profile.sources()) json.value(text);
  json.end_array();
  json.end_object();
}

}  // namespace

std::string write_json(const Profile& profile) {
  JsonWriter json;
  json.begin_object();
  json.member("flametap", version_of(profile));
  write_recording(json, profile.recording);
  write_processes_and_threads(json, profile);
  write_column(json, "strings", 0, profile.string_count(),
               [&](std::size_t i) { return profile.text(profile::StringId(i)); });
  write_functions(json, profile);
  write_frames_and_stacks(json, profile);
  write_samples(json, profile);
  if (!profile.sources().empty()) write_sources(json, profile);
  json.end_object();
  return std::move(json).take();
}

}  // namespace flametap::format
