#include "format/recording_json.h"

namespace flametap::format {

void write_quality(JsonWriter& json, const profile::Quality& quality) {
  json.member("ticks", quality.ticks);
  json.member("missed_ticks", quality.missed_ticks);
  json.key("steps").begin_object();
  json.member("free_running", quality.free_running);
  json.member("interrupted", quality.interrupted);
  json.member("ride_along", quality.ride_along);
  json.member("paused", quality.paused);
  json.end_object();
  json.member("torn", quality.torn);
  json.member("unreadable", quality.unreadable);
  json.member("no_frames", quality.no_frames);
  json.member("truncated", quality.truncated);
  json.member("median_sample_ns", quality.median_sample_ns);
  json.member("slowest_sample_ns", quality.slowest_sample_ns);
  json.member("unmerged", quality.unmerged);
  json.member("native_truncated", quality.native_truncated);
  json.member("guessed", quality.guessed);
  json.member("median_stop_ns", quality.median_stop_ns);
  json.key("more").begin_object();
  for (const auto& [name, count] : quality.more) json.member(name, count);
  json.end_object();
}

}  // namespace flametap::format
