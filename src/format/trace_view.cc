#include "format/trace_view.h"

#include "format/trace_makers.h"

namespace flametap::format {

std::unique_ptr<TraceView> make_trace_view(TraceFormat format, const TraceOptions& options) {
  switch (format) {
    case TraceFormat::tree:
      break;
    case TraceFormat::dtrace:
      return make_trace_dtrace();
    case TraceFormat::stap:
      return make_trace_stap();
    case TraceFormat::jsonl:
      return make_trace_jsonl();
    case TraceFormat::chrome:
      return make_trace_chrome(options);
    case TraceFormat::summary:
      return make_trace_summary();
  }
  return make_trace_tree(options);
}

}  // namespace flametap::format
