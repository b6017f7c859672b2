// flametap trace: what a Python program does, event by event, as the markers of its interpreter tell.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/pattern.h"
#include "format/trace_view.h"
#include "tracer/abilities.h"

namespace flametap::cli {

struct TraceRequest {
  std::vector<pid_t> pids;
  std::vector<std::string> command;
  bool all = false;  // every Python of the machine

  std::vector<tracer::EventGroup> events{tracer::EventGroup::call};
  std::string within;
  Pattern function;
  Pattern file;
  Pattern thread;
  Nanoseconds min_duration = 0;

  std::optional<Nanoseconds> duration;
  std::string output = "-";
  format::TraceFormat format = format::TraceFormat::tree;
  bool ftap = false;  // a recording instead
  std::size_t buffer_bytes = std::size_t{64} << 20;
};

[[nodiscard]] int trace(const TraceRequest& request);

}  // namespace flametap::cli
