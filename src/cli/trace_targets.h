// What a trace is about: processes that run, or every Python of the machine.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/trace_command.h"
#include "target/process.h"
#include "tracer/watch.h"

namespace flametap::cli {

[[nodiscard]] Result<std::vector<target::Process>> open_processes(const TraceRequest& request);

// Attaches the probes; says on standard error what people should know of it.
[[nodiscard]] Result<void> watch_targets(const TraceRequest& request, const std::vector<target::Process>& processes,
                                         tracer::Watch& watch);

void warn_of_notes(tracer::Watch& watch);

// For a Python without markers; `remedy` is what else can be done.
[[nodiscard]] Error no_markers(const std::string& remedy);

}  // namespace flametap::cli
