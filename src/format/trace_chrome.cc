// A trace in the Trace Event Format, as a JSON array that is written as it grows: Perfetto and chrome://tracing load
// it. Each beginning (B) has its end (E), whatever was lost; and the array is closed at the end.
#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <unordered_set>

#include "events/by_thread.h"
#include "events/call_stacks.h"
#include "format/json_text.h"
#include "format/trace_makers.h"

namespace flametap::format {
namespace {

using events::ClosedSpan;
using events::Event;
using events::Kind;
using events::Span;
using events::SpanEnd;
using events::SpanKind;

std::string_view category(SpanKind kind) {
  return kind == SpanKind::call ? "python" : kind == SpanKind::gc ? "gc" : "import";
}

class TraceChrome final : public TraceView {
 public:
  explicit TraceChrome(const TraceOptions& options) : began_(options.began) {}

  void add(const Event& event, std::string& out) override {
    const events::Thread& thread = *event.thread;
    name_thread(thread, out);
    if (event.lost > 0) write_lost(event, out);
    const auto step = stacks_.add(event);
    for (const ClosedSpan& closed : step.closed) {
      const bool is_this = step.matched && &closed == &step.closed.back();
      write_end(thread, closed, is_this ? &event : nullptr, out);
    }
    if (step.opened != nullptr) write_begin(thread, *step.opened, out);
    if (event.kind == Kind::call_end && !step.matched && event.depth < 0) write_whole(event, out);
    if (event.kind == Kind::audit) write_audit(event, out);
    if (event.kind == Kind::thread_end) names_.erase(event.thread);
  }

  void finish(const events::Ending& ending, std::string& out) override {
    for (const events::Thread* thread : stacks_.threads()) {
      for (const ClosedSpan& closed : stacks_.close(*thread, ending.ended).closed) {
        write_end(*thread, closed, nullptr, out);
      }
    }
    begin_object(out);
    out.append("\"name\":\"end of the trace\",\"ph\":\"i\",\"s\":\"g\",\"pid\":0,\"tid\":0");
    append_time(",\"ts\":", ending.ended, out);
    fmt::format_to(std::back_inserter(out),
                   ",\"args\":{{\"events\":{},\"lost\":{},\"out_of_order\":{},\"unnamed\":{}}}}}\n]\n", ending.events,
                   ending.lost, ending.out_of_order, ending.unnamed);
  }

 private:
  void begin_object(std::string& out) {
    out.append(is_empty_ ? "[\n{" : ",\n{");
    is_empty_ = false;
  }

  void begin_event(const events::Thread& thread, char phase, std::string& out) {
    begin_object(out);
    fmt::format_to(std::back_inserter(out), "\"ph\":\"{}\",\"pid\":{},\"tid\":{}", phase, thread.pid, thread.tid);
  }

  // In microseconds, exact to the nanosecond.
  void append_microseconds(std::string_view key, Nanoseconds time, std::string& out) {
    fmt::format_to(std::back_inserter(out), "{}{}.{:03}", key, time / 1000, time % 1000);
  }

  void append_time(std::string_view key, Nanoseconds time, std::string& out) {
    append_microseconds(key, time > began_ ? time - began_ : 0, out);
  }

  static void append_text(std::string_view key, std::string_view text, std::string& out) {
    out.append(key);
    append_quoted(text, out);
  }

  static void append_place(std::string_view file, std::int32_t line, std::string& out) {
    append_text(",\"args\":{\"file\":", file, out);
    if (line > 0) fmt::format_to(std::back_inserter(out), ",\"line\":{}", line);
    out.append("}");
  }

  void write_name(std::string_view kind, const events::Thread& thread, std::string_view name, std::string& out) {
    begin_event(thread, 'M', out);
    append_text(",\"name\":", kind, out);
    append_text(",\"args\":{\"name\":", name, out);
    out.append("}}");
  }

  // Again, if the name became known meanwhile: the last one counts.
  void name_thread(const events::Thread& thread, std::string& out) {
    std::string& known = names_[&thread];
    const std::string& name = thread.name.empty() ? thread.program : thread.name;
    if (known == name) return;
    known = name;
    if (pids_.insert(thread.pid).second) write_name("process_name", thread, thread.program, out);
    write_name("thread_name", thread, name, out);
  }

  void write_begin(const events::Thread& thread, const Span& span, std::string& out) {
    begin_event(thread, 'B', out);
    append_time(",\"ts\":", span.start, out);
    append_text(",\"cat\":", category(span.kind), out);
    out.append(",\"name\":");
    switch (span.kind) {
      case SpanKind::call:
        append_quoted(span.function.empty() ? "(unknown)" : span.function, out);
        append_place(span.file, span.line, out);
        break;
      case SpanKind::gc:
        fmt::format_to(std::back_inserter(out), "\"gc\",\"args\":{{\"generation\":{}}}", span.generation);
        break;
      case SpanKind::import:
        append_quoted("import " + std::string(span.name), out);
        break;
    }
    out.append("}");
  }

  void write_end(const events::Thread& thread, const ClosedSpan& closed, const Event* event, std::string& out) {
    begin_event(thread, 'E', out);
    append_time(",\"ts\":", closed.end, out);
    if (closed.how == SpanEnd::lost) out.append(",\"args\":{\"end\":\"lost\"}");
    if (closed.how == SpanEnd::cut_off) out.append(",\"args\":{\"end\":\"cut off\"}");
    if (event != nullptr && event->kind == Kind::gc_done) {
      fmt::format_to(std::back_inserter(out), ",\"args\":{{\"collected\":{}}}", event->value);
    }
    if (event != nullptr && event->kind == Kind::import_done) {
      fmt::format_to(std::back_inserter(out), ",\"args\":{{\"found\":{}}}", event->value != 0);
    }
    out.append("}");
  }

  // A call that began before the trace: it is there from the start.
  void write_whole(const Event& event, std::string& out) {
    begin_event(*event.thread, 'X', out);
    append_time(",\"ts\":", began_, out);
    append_time(",\"dur\":", event.time, out);
    append_text(",\"cat\":\"python\",\"name\":", event.function.empty() ? "(unknown)" : event.function, out);
    append_place(event.file, 0, out);
    out.append("}");
  }

  void write_audit(const Event& event, std::string& out) {
    begin_event(*event.thread, 'i', out);
    append_time(",\"s\":\"t\",\"ts\":", event.time, out);
    append_text(",\"cat\":\"audit\",\"name\":", event.name, out);
    append_text(",\"args\":{\"arguments\":", event.arguments, out);
    out.append("}}");
  }

  void write_lost(const Event& event, std::string& out) {
    begin_event(*event.thread, 'i', out);
    append_time(",\"s\":\"t\",\"ts\":", event.time, out);
    fmt::format_to(std::back_inserter(out), ",\"cat\":\"lost\",\"name\":\"{} events lost\"}}", event.lost);
  }

  Nanoseconds began_;
  bool is_empty_ = true;
  events::CallStacks stacks_;
  events::ByThread<std::string> names_;
  std::unordered_set<pid_t> pids_;
};

}  // namespace

std::unique_ptr<TraceView> make_trace_chrome(const TraceOptions& options) {
  return std::make_unique<TraceChrome>(options);
}

}  // namespace flametap::format
