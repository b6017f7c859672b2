// DurationFilter: lets pass only calls, collections and imports that took at least so long: their beginning, their end,
// and the lines and audit events that belong to them and not to something shorter inside.
//
// Nobody knows at its beginning how long a call will take, so events are kept until it is known: when it is over, or
// when it is old enough. So a long one is seen while it still runs. Events of one thread stay in order; those of
// different threads do not. What is kept is bounded; what does not fit is counted as lost, in the next event of the
// thread that passes. Not safe for concurrent calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "events/by_thread.h"
#include "events/call_stacks.h"
#include "events/event.h"

namespace flametap::events {

class DurationFilter {
 public:
  // `began`: when the trace did. What runs since before that is as old as the trace.
  DurationFilter(Nanoseconds minimum, Nanoseconds began) : minimum_(minimum), began_(began) {}

  // Appends to `out` what passes now.
  void add(Event event, std::vector<Event>& out);
  // It is `now`: some calls may have become old enough. Also the last thing to be called when the trace ends.
  void advance(Nanoseconds now, std::vector<Event>& out);

 private:
  static constexpr std::size_t kMaxKept = 200'000;  // of a thread

  // In step with the spans of CallStacks; before them stands one for all that runs since before the trace.
  struct Open {
    Event start{};
    std::vector<Event> kept{};   // what happened directly in it, as long as it has not passed
    std::uint32_t left_out = 0;  // of that, what did not fit
  };
  struct ThreadState {
    std::vector<Open> open{};
    std::size_t passed = 0;  // so many of them, the outermost ones, have passed
    std::size_t kept = 0;    // in all of them
    std::uint32_t lost = 0;  // to be said in the next event
  };

  ThreadState& state_of(const Thread* thread);
  void let_pass(ThreadState& thread, Nanoseconds now, std::vector<Event>& out);
  void begin(ThreadState& thread, Event event, std::vector<Event>& out);
  void end(ThreadState& thread, Event event, std::vector<Event>& out);
  void keep(ThreadState& thread, Event event, std::vector<Event>& out);
  static void drop(ThreadState& thread, std::size_t count);

  Nanoseconds minimum_;
  Nanoseconds began_;
  CallStacks stacks_;
  ByThread<ThreadState> threads_;
};

}  // namespace flametap::events
