// AustinLines: what the profiler Austin writes as text.
//
//   # austin: 3.7.0
//   # interval: 1000
//   # mode: wall
//
//   P4711;T0:4712;/srv/app.py:<module>:40;/srv/app.py:fib:5 1043
//
// Process, interpreter and thread, the frames from the root on, and the microseconds since the sample before; in the
// mode `full` the metric is `microseconds,idle,bytes`. A line is one sample. Its time is not in the file: it follows
// from the order, because the threads that are sampled at one moment stand side by side and have the same metric.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/profile_import.h"

namespace flametap::format {

class AustinLines {
 public:
  // A line that begins with `#`.
  void read_remark(std::string_view line);

  // Whether the line is Austin's beyond doubt.
  [[nodiscard]] bool knows(std::string_view line) const;

  // Adds the sample of a line that it knows; false if the line is damaged.
  [[nodiscard]] bool read(std::string_view line, ProfileImport& import);

  // Says what is known of the recording as a whole, and what is odd about it.
  void finish(ProfileImport& import, std::vector<std::string>& warnings) const;

 private:
  struct Metric {
    std::uint64_t time_us = 0;
    bool idle = false;
  };

  [[nodiscard]] bool parse_metric(std::string_view text, Metric& metric) const;
  [[nodiscard]] std::uint64_t time_of(profile::ThreadId thread, std::uint64_t weight_us);

  bool announced_ = false;  // by its first remark
  std::string mode_;
  std::uint64_t interval_us_ = 0;
  std::uint64_t duration_us_ = 0;
  std::uint64_t samples_ = 0;
  std::uint64_t moment_ = 0;  // how many moments there were so far; the last one began at start_us_
  std::uint64_t start_us_ = 0;
  std::uint64_t weight_us_ = 0;
  std::unordered_map<std::uint32_t, std::uint64_t> last_moment_;  // of every thread
};

}  // namespace flametap::format
