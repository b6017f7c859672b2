// CallCounter: how often each function was called since one last asked. The kernel counts; nothing is lost in between.
//
// One thread only.
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/pattern.h"
#include "tracer/live_target.h"
#include "tracer/probes.h"
#include "tracer/pythons.h"
#include "tracer/record_reader.h"
#include "tracer/teacher.h"

namespace flametap::tracer {

struct CalledFunction {
  pid_t pid = 0;
  std::int32_t line = 0;  // 0: not known
  std::string file;
  std::string function;
  auto operator<=>(const CalledFunction&) const = default;
};

struct CallCount {
  CalledFunction what;
  std::uint64_t calls = 0;
};

class CallCounter {
 public:
  // The probes, one of which must count, and the Pythons must outlive it.
  CallCounter(Probes& probes, Pythons& pythons, Pattern function, Pattern file);

  // Since the last time, the most called first; functions that were not called are left out.
  [[nodiscard]] std::vector<CallCount> take();

 private:
  Probes& probes_;
  Pattern function_;
  Pattern file_;
  Teacher teacher_;
  LiveTarget target_;
  RecordReader reader_;                              // names that are too long to be counted in the kernel are sent
  std::map<CalledFunction, std::uint64_t> counted_;  // up to the last time
  std::map<CalledFunction, std::uint64_t> long_names_;
  std::set<pid_t> pids_;  // of processes that were counted
};

}  // namespace flametap::tracer
