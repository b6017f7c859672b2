#include "format/stats.h"

#include "format/json_writer.h"
#include "format/recording_json.h"

namespace flametap::format {

std::string write_stats(const profile::Profile& profile) {
  const profile::Recording& recording = profile.recording;
  JsonWriter json;
  json.begin_object();
  json.member("samples", profile.total_ticks());
  write_quality(json, recording.quality);
  json.member("duration_s", static_cast<double>(recording.duration_ns) / 1e9);
  json.member("rate_hz", recording.rate_hz);
  json.member("mode", name(recording.mode));
  json.member("native", recording.native);
  json.member("ended", recording.ended);
  json.end_object();
  return std::move(json).take();
}

}  // namespace flametap::format
