// The parts of a recording that json and stats write alike.
#pragma once

#include "format/json_writer.h"
#include "profile/profile.h"

namespace flametap::format {

// The members of an object: ticks, missed_ticks, steps, torn, ... and the sampler's own counts under "more".
void write_quality(JsonWriter& json, const profile::Quality& quality);

}  // namespace flametap::format
