// Event: one thing that a Python program did, as a marker of its interpreter told it. A value, without any knowledge of
// where it came from.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace flametap::events {

enum class Kind : std::uint8_t {
  call,          // a Python function is entered: called, or a generator resumed
  call_end,      // it is left: by return, yield or exception
  line,          // a line is about to run
  gc_start,      // the collector begins; `value` is the generation
  gc_done,       // `value` is the number of objects collected
  import_start,  // `name` is the module
  import_done,   // `value` is 1 if the module was found and loaded
  audit,         // `name` is the event, `arguments` are what came with it
  thread_end,    // the thread is no more; whatever was open in it is over
};

// A thread of a watched process. Kept by whoever makes the events, for as long as any of them is in use.
struct Thread {
  pid_t pid = 0;
  pid_t tid = 0;
  std::string program{};  // the kernel's name of it: "python3"; never empty
  std::string name{};     // threading's own name of it; empty as long as it is not known
};

// Texts are valid UTF-8. What `file`, `function` and `name` show lives as long as the maker of the event.
struct Event {
  Kind kind{};
  // A call whose beginning no marker told (3.15: an exception that is thrown into a generator); it has the time of its
  // end.
  bool unmarked = false;
  Nanoseconds time = 0;  // CLOCK_MONOTONIC
  const Thread* thread = nullptr;
  // How many calls of its thread were open before this one, counted from when we began to watch: the same number in
  // `call` and its `call_end`. Negative in calls that were already running then, of which we see the end only.
  // Where functions are filtered by name, only shown calls count.
  std::int32_t depth = 0;
  std::int32_t line = 0;  // 0: not known
  // The function that is called, left, or runs; of other events the function in which they happened. Empty: not known.
  std::string_view file{};
  std::string_view function{};
  std::string_view name{};
  std::int64_t value = 0;
  std::string arguments{};  // of audit, as Python would write them: ('/etc/hosts', 'r', 524288)
  std::uint32_t lost = 0;   // how many events of this thread were lost just before this one
};

// How a trace ended, and how true it is.
struct Ending {
  Nanoseconds began = 0;
  Nanoseconds ended = 0;
  std::uint64_t events = 0;            // that were shown
  std::uint64_t lost = 0;              // that did not fit into the buffer
  std::uint64_t out_of_order = 0;      // that came too late to be shown in their order of time
  std::uint64_t unnamed = 0;           // whose function or file could not be read
  std::uint64_t nameless_threads = 0;  // that a filter by name could not judge before they ended, and did not show
};

}  // namespace flametap::events
