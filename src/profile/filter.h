// Another view of the same recording: fewer samples, or other stacks of the same samples.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "profile/profile.h"

namespace flametap::profile {

struct Filter {
  std::optional<Mode> mode = {};  // nothing: as recorded
  std::string thread = {};   // an ECMAScript regular expression, found anywhere in a thread's name or id; empty: all
  std::string process = {};  // the same, in a process's command line or pid; the others are not in the result
  bool drop_lines = false;   // one frame per function, wherever in it the program was
  bool by_thread = false;    // a marker `thread NAME (id)` as the root of every stack
};

// A profile of several processes also gets a marker `process PID (command)` as the root of every stack, except of those
// of which nothing is known. Markers that already stand there are not set again. The recording's quality stays what it
// was: it is about how all was sampled. Fails if the mode asks for samples that were not recorded, or if the regular
// expression is none.
[[nodiscard]] Result<Profile> filter(const Profile& profile, const Filter& filter);

// Whether a sample in this state belongs to a profile of that mode.
[[nodiscard]] bool in_mode(stack::State state, Mode mode);

[[nodiscard]] std::string thread_label(const Thread& thread);     // thread MainThread (123)
[[nodiscard]] std::string process_label(const Process& process);  // process 7 (python a.py)

}  // namespace flametap::profile
