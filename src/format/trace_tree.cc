// A trace for people: each thread's calls as a tree that grows downwards, with the time and how long it took in columns
// of their own, so that a long call catches the eye however deep it is.
//
//       TID THREAD              SECONDS DURATION
//      8274 MainThread         0.011408          → handle  shop.py:12
//      8274 MainThread         0.011418  6.10 µs   → encode  shop.py:490
//      8274 MainThread         0.011433  25.0 µs ← handle  :17
//
// A beginning is held back for the moment that it takes to know whether its end is the next event: then the two are one
// line. Indented is what is shown, by the number of things open around it, whatever a filter hides.
#include <fmt/format.h>

#include <array>
#include <iterator>
#include <optional>
#include <string_view>

#include "events/by_thread.h"
#include "events/call_stacks.h"
#include "format/text.h"
#include "format/trace_makers.h"
#include "format/trace_text.h"

namespace flametap::format {
namespace {

using events::ClosedSpan;
using events::Event;
using events::Kind;
using events::Span;
using events::SpanEnd;
using events::SpanKind;

constexpr std::size_t kMaxIndent = 40;     // deeper ones say how deep they are instead
constexpr std::size_t kMaxStillOpen = 50;  // of a thread, at its end
constexpr std::size_t kThreadWidth = 16;

constexpr std::string_view kPlain = "\033[0m";
constexpr std::string_view kDim = "\033[2m";
constexpr std::string_view kSlow = "\033[33m";
constexpr std::string_view kVerySlow = "\033[1;31m";
constexpr std::string_view kTrouble = "\033[35m";
constexpr std::array<std::string_view, 5> kThreadColours = {"\033[36m", "\033[32m", "\033[34m", "\033[95m", "\033[93m"};

bool is_end(Kind kind) { return kind == Kind::call_end || kind == Kind::gc_done || kind == Kind::import_done; }

// As a call has them: a tuple of one has a comma at its end.
std::string as_arguments(std::string_view tuple) {
  if (!tuple.ends_with(",)")) return std::string(tuple);
  return std::string(tuple.substr(0, tuple.size() - 2)) + ")";
}

std::string count_of(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", with_commas(count), noun, count == 1 ? "" : "s");
}

class TraceTree final : public TraceView {
 public:
  explicit TraceTree(const TraceOptions& options) : options_(options) {}

  void add(const Event& event, std::string& out) override {
    const bool may_join = held_ && held_->thread == event.thread && is_end(event.kind) && event.lost == 0;
    if (!may_join) settle(out);
    const std::size_t around = stacks_.open(event.thread).size();
    const auto step = stacks_.add(event);
    if (may_join && step.matched && step.closed.size() == 1) {
      write_joined(event, step.closed[0], out);
      held_.reset();
      return;
    }
    settle(out);
    if (event.kind == Kind::thread_end) {
      write_still_open(*event.thread, step.closed, event.time, "when the thread ended", out);
      looks_.erase(event.thread);
      return;
    }
    write_losses(event, step, around, out);
    write(event, step, out);
  }

  void settle(std::string& out) override {
    if (!held_) return;
    begin_line(*held_->thread, held_->time, std::nullopt, out);
    append_indent(held_indent_, "→ ", out);
    append_subject(*held_, out);
    append_place(held_->kind == Kind::call ? *held_ : Event{}, out);
    if (held_->unmarked) out.append("  (its beginning was not told)");
    end_line(out);
    held_.reset();
  }

  void finish(const events::Ending& ending, std::string& out) override {
    settle(out);
    for (const events::Thread* thread : stacks_.threads()) {
      write_still_open(*thread, stacks_.close(*thread, ending.ended).closed, ending.ended, "at the end", out);
    }
    write_trouble(ending.lost, "lost: what was open around them may be wrong", out);
    write_trouble(ending.out_of_order, "came too late to stand in the order of time", out);
    write_trouble(ending.unnamed, "without a name: the program's memory could not be read", out);
    write_trouble(stacks_.too_deep(), "inside of more calls than are counted", out);
  }

 private:
  struct Look {
    std::string_view colour{};
  };

  void write(const Event& event, const events::CallStacks::Step& step, std::string& out) {
    const std::size_t depth = stacks_.open(event.thread).size();
    if (step.opened != nullptr) {
      held_ = event;
      held_indent_ = depth - 1;
      return;
    }
    const bool known = step.matched;
    begin_line(*event.thread, event.time, known ? std::optional(step.closed.back()) : std::nullopt, out);
    switch (event.kind) {
      case Kind::line:
        append_indent(depth, "· ", out);
        append_name(event.function, out);
        append_place(event, out);
        break;
      case Kind::audit:
        append_indent(depth, "◦ audit ", out);
        append_name(event.name, out);
        append_clean(as_arguments(event.arguments), out);
        append_where(event, out);
        break;
      case Kind::call_end:
      case Kind::gc_done:
      case Kind::import_done:
        append_indent(depth, "← ", out);
        append_subject(event, out);
        if (known && event.line > 0) append_dim(fmt::format("  :{}", event.line), out);
        if (!known) append_place(event, out);
        if (!known) out.append(event.depth < 0 ? "  (began before the trace)" : "  (its beginning was not seen)");
        break;
      default:  // too deep to be open
        append_indent(depth, "→ ", out);
        append_subject(event, out);
    }
    end_line(out);
  }

  // The beginning that was held back, with its end.
  void write_joined(const Event& end, const ClosedSpan& closed, std::string& out) {
    begin_line(*end.thread, held_->time, closed, out);
    append_indent(held_indent_, held_->kind == Kind::call ? "→ " : "↔ ", out);
    Event both = *held_;
    if (end.kind != Kind::call_end) {
      both.kind = end.kind;
      both.value = end.value;
    }
    append_subject(both, out, closed.span.generation);
    if (end.kind == Kind::call_end) append_place(both, out);
    if (held_->unmarked) out.append("  (its beginning was not told)");
    end_line(out);
  }

  void write_losses(const Event& event, const events::CallStacks::Step& step, std::size_t around, std::string& out) {
    const std::size_t unseen = step.closed.size() - (step.matched ? 1 : 0);
    if (event.lost == 0 && unseen == 0) return;
    begin_line(*event.thread, event.time, std::nullopt, out);
    append_indent(around, "", out);
    if (options_.colour) out.append(kTrouble);
    out.append("… ");
    if (event.lost > 0) out.append(count_of(event.lost, "event")).append(" lost");
    if (event.lost > 0 && unseen > 0) out.append(", ");
    if (unseen > 0) out.append("the end").append(unseen == 1 ? "" : "s").append(" of ");
    if (unseen > 0) out.append(count_of(unseen, "call")).append(unseen == 1 ? " was not seen" : " were not seen");
    if (options_.colour) out.append(kPlain);
    end_line(out);
  }

  void write_still_open(const events::Thread& thread, std::span<const ClosedSpan> closed, Nanoseconds time,
                        std::string_view when, std::string& out) {
    const std::size_t shown = std::min(closed.size(), kMaxStillOpen);
    if (shown < closed.size()) {
      begin_line(thread, time, std::nullopt, out);
      out.append("… ").append(count_of(closed.size() - shown, "call")).append(" still open ").append(when);
      end_line(out);
    }
    for (std::size_t i = shown; i-- > 0;) {
      const Span& span = closed[i].span;
      begin_line(thread, time, closed[i], out);
      append_indent(closed.size() - 1 - i, "… ", out);
      const Event event = event_of(span);
      append_subject(event, out);
      if (span.is_call()) append_place(event, out);
      out.append("  (still open ").append(when).append(")");
      end_line(out);
    }
  }

  void write_trouble(std::uint64_t count, std::string_view what, std::string& out) {
    if (count == 0) return;
    if (options_.colour) out.append(kTrouble);
    out.append("… ").append(count_of(count, "event")).append(" ").append(what);
    if (options_.colour) out.append(kPlain);
    out.append("\n");
  }

  static Event event_of(const Span& span) {
    const Kind kind = span.is_call() ? Kind::call : span.kind == SpanKind::gc ? Kind::gc_start : Kind::import_start;
    return {.kind = kind,
            .line = span.line,
            .file = span.file,
            .function = span.function,
            .name = span.name,
            .value = span.generation};
  }

  // Thread, time and duration.
  void begin_line(const events::Thread& thread, Nanoseconds time, const std::optional<ClosedSpan>& closed,
                  std::string& out) {
    const Look& look = look_of(thread, out);
    if (options_.colour) out.append(look.colour);
    fmt::format_to(std::back_inserter(out), "{:>8} {:<{}}", thread.tid,
                   shortened(thread.name.empty() ? thread.program : thread.name, kThreadWidth), kThreadWidth);
    if (options_.colour) out.append(kPlain);
    const Nanoseconds since = time > options_.began ? time - options_.began : 0;
    fmt::format_to(std::back_inserter(out), " {:>5}.{:06} ", since / kSecond, since % kSecond / 1000);
    append_duration(closed, out);
  }

  void append_duration(const std::optional<ClosedSpan>& closed, std::string& out) {
    if (!closed || closed->span.unmarked) {
      out.append(closed ? "        ? " : "          ");
      return;
    }
    const Nanoseconds duration = closed->duration();
    const std::string_view colour = duration >= kSecond / 10    ? kVerySlow
                                    : duration >= kSecond / 100 ? kSlow
                                    : duration < kSecond / 1000 ? kDim
                                                                : "";
    if (options_.colour) out.append(colour);
    fmt::format_to(std::back_inserter(out), "{:>9} ", duration_text(duration));
    if (options_.colour) out.append(kPlain);
  }

  // Who it is, when it is seen for the first time.
  const Look& look_of(const events::Thread& thread, std::string& out) {
    Look& look = looks_[&thread];
    if (!look.colour.empty()) return look;
    look.colour = kThreadColours[seen_ % kThreadColours.size()];
    if (seen_ == 0)
      append_dim(fmt::format("{:>8} {:<{}} {:>12} {:>9}\n", "TID", "THREAD", kThreadWidth, "SECONDS", "DURATION"), out);
    ++seen_;
    std::string text = fmt::format("──────── thread {}", thread.tid);
    if (!thread.name.empty()) append_name(" " + thread.name, text);
    text.append(fmt::format(" of process {} ", thread.pid));
    append_name(thread.program, text);
    append_dim(text + "\n", out);
    return look;
  }

  void append_indent(std::size_t depth, std::string_view sign, std::string& out) {
    out.append(2 * std::min(depth, kMaxIndent), ' ');
    if (depth > kMaxIndent) append_dim(fmt::format("({}) ", depth), out);
    out.append(sign);
  }

  // What begins or ends.
  void append_subject(const Event& event, std::string& out, std::optional<std::int64_t> generation = std::nullopt) {
    switch (event.kind) {
      case Kind::gc_start:
        fmt::format_to(std::back_inserter(out), "gc of generation {}", event.value);
        return append_where(event, out);
      case Kind::gc_done:
        out.append("gc");
        if (generation) fmt::format_to(std::back_inserter(out), " of generation {}", *generation);
        out.append(": ").append(with_commas(static_cast<std::uint64_t>(std::max<std::int64_t>(event.value, 0))));
        out.append(" collected");
        return append_where(event, out);
      case Kind::import_start:
      case Kind::import_done:
        out.append("import ");
        append_name(event.name, out);
        if (event.kind == Kind::import_done && event.value == 0) out.append(": not found");
        return;
      default:
        append_name(event.function.empty() ? "(unknown)" : event.function, out);
    }
  }

  void append_place(const Event& event, std::string& out) {
    if (event.file.empty()) return;
    if (options_.colour) out.append(kDim);
    out.append("  ");
    append_name(event.file, out);
    if (event.line > 0) fmt::format_to(std::back_inserter(out), ":{}", event.line);
    if (options_.colour) out.append(kPlain);
  }

  void append_where(const Event& event, std::string& out) {
    if (event.function.empty()) return;
    std::string text = "  in ";
    append_name(event.function, text);
    append_dim(text, out);
  }

  void append_dim(std::string_view text, std::string& out) {
    if (options_.colour) out.append(kDim);
    out.append(text);
    if (options_.colour) out.append(kPlain);
  }

  static void end_line(std::string& out) { out.append("\n"); }

  TraceOptions options_;
  events::CallStacks stacks_;
  events::ByThread<Look> looks_;
  std::size_t seen_ = 0;       // threads so far
  std::optional<Event> held_;  // the last event, if it began something
  std::size_t held_indent_ = 0;
};

}  // namespace

std::unique_ptr<TraceView> make_trace_tree(const TraceOptions& options) { return std::make_unique<TraceTree>(options); }

}  // namespace flametap::format
