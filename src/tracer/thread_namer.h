// ThreadNamer: finds out what threading calls the threads of watched processes. Best effort: a thread may end before
// we looked.
//
// One thread only.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "events/event.h"
#include "tracer/pythons.h"

namespace flametap::tracer {

class ThreadNamer {
 public:
  // The Pythons must outlive it.
  explicit ThreadNamer(Pythons& pythons) : pythons_(pythons) {}

  // From now on it is looked for. The thread must outlive the namer.
  void add(events::Thread& thread) {
    nameless_.push_back({&thread, 0});
    next_look_ = 0;  // it may end soon
  }

  // Names those that have a name by now. Cheap when there is nothing to do; looks at most some ten times a second.
  void look(Nanoseconds now);

 private:
  struct Nameless {
    events::Thread* thread;
    int looks;
  };
  [[nodiscard]] static std::map<pid_t, std::string> names_of(Python& python);

  std::vector<Nameless> nameless_;
  Pythons& pythons_;
  Nanoseconds next_look_ = 0;
};

}  // namespace flametap::tracer
