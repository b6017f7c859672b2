// What the script call_stack.d of CPython's documentation prints, by its own printf calls:
//
//   printf("%d\t%*s:", timestamp, 15, probename);
//   printf("%*s", self->indent, "");
//   printf("%s:%s:%d\n", basename(file), function, line);
//
// The indent is the number of open calls of the thread. Where events were lost, it is mended: a bare counter would stay
// wrong for ever.
#include <string_view>

#include "events/call_stacks.h"
#include "format/json_text.h"
#include "format/text.h"
#include "format/trace_makers.h"

namespace flametap::format {
namespace {

using events::Kind;

class TraceDtrace final : public TraceView {
 public:
  void add(const events::Event& event, std::string& out) override {
    const auto step = stacks_.add(event);
    if (event.kind != Kind::call && event.kind != Kind::call_end) return;
    const std::size_t indent = stacks_.open_calls(event.thread) - (step.opened != nullptr ? 1 : 0);
    append_number(event.time, out);
    out.append(event.kind == Kind::call ? "\t function-entry:" : "\tfunction-return:");
    out.append(indent, ' ');
    out.append(clean(base_name(event.file))).append(":").append(clean(event.function)).append(":");
    append_number(event.line, out);
    out.append("\n");
  }

  void finish(const events::Ending&, std::string&) override {}

 private:
  events::CallStacks stacks_;
};

}  // namespace

std::unique_ptr<TraceView> make_trace_dtrace() { return std::make_unique<TraceDtrace>(); }

}  // namespace flametap::format
