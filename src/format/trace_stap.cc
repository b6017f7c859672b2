// What the script show-call-hierarchy.stp of CPython's documentation prints:
//
//   printf("%s => %s in %s:%d\n", thread_indent(1), function, file, line)     and <= with thread_indent(-1)
//
// SystemTap's thread_indent() (tapset indent.stp, function::thread_indent(3stap)) gives "%6d NAME(TID):" and one blank
// for each call around this one. The number is microseconds since the outermost call of the thread began: "if this is
// the real outermost, initial level of indentation, then the function resets the relative timestamp base to zero".
//
// SystemTap counts calls and returns, so that after the return of a call which began before the trace it would never
// indent properly again; and so it would where events were lost. Here the depth of the calls is what counts.
#include <fmt/format.h>

#include <iterator>

#include "events/by_thread.h"
#include "events/call_stacks.h"
#include "format/text.h"
#include "format/trace_makers.h"

namespace flametap::format {
namespace {

using events::Kind;

class TraceStap final : public TraceView {
 public:
  void add(const events::Event& event, std::string& out) override {
    const bool was_idle = stacks_.open_calls(event.thread) == 0;
    const auto step = stacks_.add(event);
    if (event.kind == Kind::thread_end) base_.erase(event.thread);
    if (event.kind != Kind::call && event.kind != Kind::call_end) return;
    const std::size_t indent = stacks_.open_calls(event.thread) - (step.opened != nullptr ? 1 : 0);
    Nanoseconds& base = base_[event.thread];
    if (event.kind == Kind::call ? indent == 0 : was_idle) base = event.time;
    const Nanoseconds passed = event.time > base ? event.time - base : 0;
    fmt::format_to(std::back_inserter(out), "{:6d} {}({}):{:{}} {} {} in {}:{}\n", passed / 1000,
                   clean(event.thread->program), event.thread->tid, "", indent,
                   event.kind == Kind::call ? "=>" : "<=", clean(event.function), clean(event.file), event.line);
  }

  void finish(const events::Ending&, std::string&) override {}

 private:
  events::CallStacks stacks_;
  events::ByThread<Nanoseconds> base_;  // when its outermost call began
};

}  // namespace

std::unique_ptr<TraceView> make_trace_stap() { return std::make_unique<TraceStap>(); }

}  // namespace flametap::format
