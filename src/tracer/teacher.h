// Teacher: tells the programs in the kernel where the Pythons that they meet keep what runs.
//
// One thread only.
#pragma once

#include <sys/types.h>

#include <map>

#include "base/clock.h"
#include "events/event.h"
#include "tracer/probes.h"
#include "tracer/pythons.h"

namespace flametap::tracer {

class Teacher {
 public:
  // Both must outlive it.
  Teacher(Probes& probes, Pythons& pythons) : probes_(probes), pythons_(pythons) {}

  // A thread whose first event has come.
  void meet(const events::Thread& thread);
  // Teaches what is not taught yet and can be found out now.
  void teach();
  // Whether somebody has just been met, and is to be taught as soon as possible.
  [[nodiscard]] bool is_in_a_hurry() const;

 private:
  [[nodiscard]] bool try_to_teach(pid_t pid, Nanoseconds met);

  Probes& probes_;
  Pythons& pythons_;
  struct Untaught {
    Nanoseconds met = 0;
    Nanoseconds next_try = 0;
  };
  std::map<pid_t, Untaught> untaught_;
};

}  // namespace flametap::tracer
