// Teacher: tells the programs in the kernel where the Pythons that they meet keep what runs.
//
// One thread only.
#pragma once

#include <sys/types.h>

#include <set>

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
  [[nodiscard]] bool is_done() const { return untaught_.empty(); }

 private:
  Probes& probes_;
  Pythons& pythons_;
  std::set<pid_t> untaught_;
};

}  // namespace flametap::tracer
