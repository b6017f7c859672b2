// flametap trace --top: which functions are called most, all the time.
#pragma once

#include "cli/trace_command.h"

namespace flametap::cli {

[[nodiscard]] int trace_top(const TraceRequest& request);

}  // namespace flametap::cli
