// The samples of a profile thread by thread and in the order of time, for formats that are about when.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace flametap::format {

// The samples of every thread, by time. Recorded samples are in that order already, read ones need not be.
[[nodiscard]] std::vector<std::vector<const profile::Sample*>> samples_by_thread(const profile::Profile& profile);

// `thread NAME (id)`, with its process in front if there are several.
[[nodiscard]] std::string track_name(const profile::Profile& profile, const profile::Thread& thread);

// From when to when a sample is shown.
struct Span {
  std::uint64_t start_ns;
  std::uint64_t end_ns;
  const profile::Sample* sample;
};

// One span per sample, in the order of time and without overlap. A span goes on to the start of the next one, unless
// the gap between them is longer than a tick: then it ends when its own time is over. Where the times of the samples
// are not known, one follows the other; where their weights are not known either, a tick takes a millisecond.
[[nodiscard]] std::vector<Span> timeline_of(const profile::Profile& profile,
                                            const std::vector<const profile::Sample*>& samples);

// The functions of a sample from the root on, without the markers of its own process and thread, which the track says
// already. Writes into `functions`, so that a million samples reuse it.
void functions_of(const profile::Profile& profile, const profile::Sample& sample,
                  std::vector<profile::FunctionId>& functions);

// What the thread was doing besides what its stack says: "(idle)", "(waiting for the GIL)", "(gc)"; "" if nothing, or
// if nobody knows.
[[nodiscard]] std::string_view state_word(const profile::Profile& profile, const profile::Sample& sample);

}  // namespace flametap::format
