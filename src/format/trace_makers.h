// The views behind make_trace_view(), each in the file of its name.
#pragma once

#include <memory>

#include "format/trace_view.h"

namespace flametap::format {

[[nodiscard]] std::unique_ptr<TraceView> make_trace_tree(const TraceOptions& options);
[[nodiscard]] std::unique_ptr<TraceView> make_trace_dtrace();
[[nodiscard]] std::unique_ptr<TraceView> make_trace_stap();
[[nodiscard]] std::unique_ptr<TraceView> make_trace_jsonl();
[[nodiscard]] std::unique_ptr<TraceView> make_trace_chrome(const TraceOptions& options);
[[nodiscard]] std::unique_ptr<TraceView> make_trace_summary();

}  // namespace flametap::format
