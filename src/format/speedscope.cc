#include "format/speedscope.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/json_writer.h"
#include "format/text.h"
#include "format/timeline.h"

namespace flametap::format {
namespace {

using profile::Profile;
using profile::Sample;

constexpr std::string_view kSchema = "https://www.speedscope.app/file-format-schema.json";

// For reading back: viewers leave keys alone that they do not know.
void write_kind(JsonWriter& json, const Profile& profile, const profile::Function& function) {
  if (function.kind == profile::FrameKind::python) return;
  json.member("kind", name(function.kind));
  if (function.module != profile::kEmptyText) json.member("module", profile.text(function.module));
}

void write_frames(JsonWriter& json, const Profile& profile) {
  json.key("shared").begin_object();
  json.key("frames").begin_array();
  for (std::size_t i = 0; i < profile.frame_count(); ++i) {
    const profile::FrameId id{static_cast<std::uint32_t>(i)};
    json.begin_object().member("name", profile.name(id));
    if (!profile.file(id).empty()) json.member("file", profile.file(id));
    if (profile.frame(id).line > 0) json.member("line", profile.frame(id).line);
    write_kind(json, profile, profile.function(profile.frame(id).function));
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_profile(JsonWriter& json, const Profile& profile, const std::string& name,
                   const std::vector<const Sample*>& samples) {
  const bool timed = profile.total_weight_ns() > 0;
  const auto weight = [&](const Sample* sample) { return timed ? sample->weight_ns : sample->ticks; };
  std::uint64_t end = 0;
  for (const Sample* sample : samples) end += weight(sample);
  json.begin_object();
  json.member("type", "sampled").member("name", name).member("unit", timed ? "nanoseconds" : "none");
  json.member("startValue", 0).member("endValue", end);
  json.key("samples").begin_array();
  for (const Sample* sample : samples) {
    json.begin_array();
    for (const profile::FrameId frame : profile.frames_of(sample->stack)) json.value(static_cast<std::uint32_t>(frame));
    json.end_array();
  }
  json.end_array();
  json.key("weights").begin_array();
  for (const Sample* sample : samples) json.value(weight(sample));
  json.end_array();
  if (timed) {  // for reading back, as the kinds of frames
    if (profile.recording.rate_hz > 0) json.member("rate_hz", profile.recording.rate_hz);
    json.key("ticks").begin_array();
    for (const Sample* sample : samples) json.value(sample->ticks);
    json.end_array();
  }
  json.end_object();
}

}  // namespace

std::string write_speedscope(const Profile& profile) {
  JsonWriter json;
  json.begin_object();
  json.member("$schema", kSchema);
  json.member("exporter", exporter());
  json.member("name", command_text(profile) + " (" + quality_text(profile) + ")");
  json.member("activeProfileIndex", 0);
  write_frames(json, profile);
  json.key("profiles").begin_array();
  const std::vector<std::vector<const Sample*>> by_thread = samples_by_thread(profile);
  bool any = false;
  for (std::size_t i = 0; i < by_thread.size(); ++i) {
    if (by_thread[i].empty()) continue;
    write_profile(json, profile, track_name(profile, profile.threads()[i]), by_thread[i]);
    any = true;
  }
  if (!any) write_profile(json, profile, "no samples", {});  // the viewer refuses a file without any profile
  json.end_array();
  json.end_object();
  return std::move(json).take();
}

}  // namespace flametap::format
