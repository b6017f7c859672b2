#include "profile/common.h"

namespace flametap::profile {

namespace {

Mode common_mode(Mode one, Mode other) {
  if (one == other || other == Mode::wall) return one;
  if (one == Mode::wall) return other;
  return Mode::unknown;
}

}  // namespace

Mode common_mode(std::span<const Profile> recordings) {
  Mode mode = Mode::wall;
  for (const Profile& recording : recordings) mode = common_mode(mode, recording.recording.mode);
  return mode;
}

Result<Measures> common_measures(std::span<const Profile> recordings) {
  Measures common;
  for (const Profile& recording : recordings) {
    if (recording.samples().empty()) continue;
    common.time = common.time && recording.total_weight_ns() > 0;
    common.ticks = common.ticks && recording.total_ticks() > 0;
  }
  if (common.time || common.ticks) return common;
  return Error{Failure::failed, "they have nothing in common: one counts only time, another only samples", ""};
}

}  // namespace flametap::profile
