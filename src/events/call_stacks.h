// CallStacks: what is going on in each thread, made of the events of its beginnings and ends: calls, collections of
// garbage, imports, one inside the other.
//
// Events may be lost and calls may be hidden by a filter, so it is the depth of an event that says which calls are
// over, never a count of ends. What was closed is told with the reason. Events come in the order of their thread. Not
// safe for concurrent calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "events/by_thread.h"
#include "events/event.h"

namespace flametap::events {

enum class SpanKind : std::uint8_t { call, gc, import };

// A stretch of a thread's time with a beginning and an end. Texts live as long as those of the event that began it.
struct Span {
  SpanKind kind{};
  bool unmarked = false;  // see Event
  std::int32_t depth = 0;
  std::int32_t line = 0;  // where it began
  Nanoseconds start = 0;
  std::string_view file{};
  std::string_view function{};
  std::string_view name{};      // of an import: the module
  std::int64_t generation = 0;  // of gc
  Nanoseconds in_children = 0;  // in calls and collections directly inside; an import adds those inside of it
  Nanoseconds in_imports = 0;   // in imports inside, at any depth of calls; those within imports counted once
  std::uint32_t number = 0;     // for whoever keeps the stacks
  [[nodiscard]] bool is_call() const { return kind == SpanKind::call; }
};

enum class SpanEnd : std::uint8_t {
  returned,  // its end was seen
  lost,      // it is over, but its end was not seen
  cut_off,   // the thread or the trace ended before it
};

struct ClosedSpan {
  Span span;
  Nanoseconds end = 0;  // of one that was lost: when we knew
  SpanEnd how{};
  [[nodiscard]] Nanoseconds duration() const { return end > span.start ? end - span.start : 0; }
  [[nodiscard]] Nanoseconds self() const { return duration() > span.in_children ? duration() - span.in_children : 0; }
};

class CallStacks {
 public:
  static constexpr std::size_t kMaxOpen = 100'000;  // of a thread

  // What an event changed. Valid until the next call of a function that is not const.
  struct Step {
    std::span<const ClosedSpan> closed{};  // the innermost first
    Span* opened = nullptr;
    bool matched = false;  // the event is the end of the last of `closed`; else nobody saw the beginning of what ended
  };

  Step add(const Event& event);
  // The end of the trace, for this thread.
  Step close(const Thread& thread, Nanoseconds time);

  // The outermost first.
  [[nodiscard]] std::span<const Span> open(const Thread* thread) const;
  [[nodiscard]] std::size_t open_calls(const Thread* thread) const;
  // Those with something open.
  [[nodiscard]] std::vector<const Thread*> threads() const { return stacks_.threads(); }
  // Beginnings that did not fit. Nothing is known of what they began.
  [[nodiscard]] std::uint64_t too_deep() const { return too_deep_; }

 private:
  struct Stack {
    std::vector<Span> spans;
    std::size_t calls = 0;
  };

  void open(Stack& stack, const Event& event, SpanKind kind, Step& step);
  void pop(Stack& stack, Nanoseconds time, SpanEnd how);
  void pop_to(Stack& stack, std::size_t size, Nanoseconds time, SpanEnd how);
  void end_call(Stack& stack, const Event& event, Step& step);
  void end_other(Stack& stack, const Event& event, SpanKind kind, Step& step);

  ByThread<Stack> stacks_;
  std::vector<ClosedSpan> closed_;
  std::uint64_t too_deep_ = 0;
};

}  // namespace flametap::events
