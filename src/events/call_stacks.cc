#include "events/call_stacks.h"

namespace flametap::events {
namespace {

// Where the calls of this depth and deeper begin, with all that is inside of them.
std::size_t first_at_depth(const std::vector<Span>& spans, std::int32_t depth) {
  std::size_t first = spans.size();
  for (std::size_t i = spans.size(); i-- > 0;) {
    if (!spans[i].is_call()) continue;
    if (spans[i].depth < depth) break;
    first = i;
  }
  return first;
}

}  // namespace

CallStacks::Step CallStacks::add(const Event& event) {
  Step step;
  closed_.clear();
  switch (event.kind) {
    case Kind::call: {
      Stack& stack = stacks_[event.thread];
      pop_to(stack, first_at_depth(stack.spans, event.depth), event.time, SpanEnd::lost);
      open(stack, event, SpanKind::call, step);
      break;
    }
    case Kind::gc_start:
      open(stacks_[event.thread], event, SpanKind::gc, step);
      break;
    case Kind::import_start:
      open(stacks_[event.thread], event, SpanKind::import, step);
      break;
    case Kind::call_end:
      end_call(stacks_[event.thread], event, step);
      break;
    case Kind::gc_done:
      end_other(stacks_[event.thread], event, SpanKind::gc, step);
      break;
    case Kind::import_done:
      end_other(stacks_[event.thread], event, SpanKind::import, step);
      break;
    case Kind::thread_end:
      return close(*event.thread, event.time);
    case Kind::line:
    case Kind::audit:
      break;
  }
  step.closed = closed_;
  return step;
}

CallStacks::Step CallStacks::close(const Thread& thread, Nanoseconds time) {
  closed_.clear();
  pop_to(stacks_[&thread], 0, time, SpanEnd::cut_off);
  stacks_.erase(&thread);
  return {.closed = closed_};
}

std::span<const Span> CallStacks::open(const Thread* thread) const {
  const Stack* stack = stacks_.find(thread);
  return stack == nullptr ? std::span<const Span>{} : std::span<const Span>{stack->spans};
}

std::size_t CallStacks::open_calls(const Thread* thread) const {
  const Stack* stack = stacks_.find(thread);
  return stack == nullptr ? 0 : stack->calls;
}

void CallStacks::open(Stack& stack, const Event& event, SpanKind kind, Step& step) {
  if (stack.spans.size() >= kMaxOpen) {
    ++too_deep_;
    return;
  }
  stack.spans.push_back({.kind = kind,
                         .unmarked = event.unmarked,
                         .depth = event.depth,
                         .line = event.line,
                         .start = event.time,
                         .file = event.file,
                         .function = event.function,
                         .name = event.name,
                         .generation = event.value});
  stack.calls += kind == SpanKind::call ? 1 : 0;
  step.opened = &stack.spans.back();
}

void CallStacks::end_call(Stack& stack, const Event& event, Step& step) {
  const std::size_t first = first_at_depth(stack.spans, event.depth);
  const bool is_open = first < stack.spans.size() && stack.spans[first].depth == event.depth;
  pop_to(stack, is_open ? first + 1 : first, event.time, SpanEnd::lost);
  if (!is_open) return;
  const Span& call = stack.spans.back();
  step.matched = call.function == event.function && call.file == event.file;
  pop(stack, event.time, step.matched ? SpanEnd::returned : SpanEnd::lost);
}

void CallStacks::end_other(Stack& stack, const Event& event, SpanKind kind, Step& step) {
  for (std::size_t i = stack.spans.size(); i-- > 0;) {
    const Span& span = stack.spans[i];
    if (span.kind != kind || span.name != event.name) continue;
    pop_to(stack, i + 1, event.time, SpanEnd::lost);
    pop(stack, event.time, SpanEnd::returned);
    step.matched = true;
    return;
  }
}

void CallStacks::pop_to(Stack& stack, std::size_t size, Nanoseconds time, SpanEnd how) {
  while (stack.spans.size() > size) pop(stack, time, how);
}

void CallStacks::pop(Stack& stack, Nanoseconds time, SpanEnd how) {
  closed_.push_back({stack.spans.back(), time, how});
  stack.spans.pop_back();
  const ClosedSpan& closed = closed_.back();
  stack.calls -= closed.span.is_call() ? 1 : 0;
  if (stack.spans.empty()) return;
  const bool is_import = closed.span.kind == SpanKind::import;
  stack.spans.back().in_children += is_import ? closed.span.in_children : closed.duration();
  stack.spans.back().in_imports += is_import ? closed.duration() : closed.span.in_imports;
}

}  // namespace flametap::events
