#include "events/duration_filter.h"

#include <algorithm>
#include <utility>

namespace flametap::events {

void DurationFilter::add(Event event, std::vector<Event>& out) {
  ThreadState& thread = state_of(event.thread);
  event.lost += std::exchange(thread.lost, 0);
  let_pass(thread, event.time, out);
  switch (event.kind) {
    case Kind::call:
    case Kind::gc_start:
    case Kind::import_start:
      return begin(thread, std::move(event), out);
    case Kind::call_end:
    case Kind::gc_done:
    case Kind::import_done:
      return end(thread, std::move(event), out);
    case Kind::line:
    case Kind::audit:
      return keep(thread, std::move(event), out);
    case Kind::thread_end:
      stacks_.add(event);
      threads_.erase(event.thread);
      out.push_back(std::move(event));
      return;
  }
}

void DurationFilter::advance(Nanoseconds now, std::vector<Event>& out) {
  for (const Thread* thread : threads_.threads()) let_pass(threads_[thread], now, out);
}

DurationFilter::ThreadState& DurationFilter::state_of(const Thread* thread) {
  ThreadState& state = threads_[thread];
  if (state.open.empty()) state.open.push_back({.start = {.time = began_, .thread = thread}});
  return state;
}

// What is further out is older, so the first that is not old enough ends it.
void DurationFilter::let_pass(ThreadState& thread, Nanoseconds now, std::vector<Event>& out) {
  for (; thread.passed < thread.open.size(); ++thread.passed) {
    Open& open = thread.open[thread.passed];
    if (now < open.start.time || now - open.start.time < minimum_) return;
    if (thread.passed > 0) out.push_back(open.start);
    for (Event& kept : open.kept) out.push_back(std::move(kept));
    thread.kept -= open.kept.size();
    thread.lost += open.left_out;
    open.kept = {};
  }
}

void DurationFilter::begin(ThreadState& thread, Event event, std::vector<Event>& out) {
  const CallStacks::Step step = stacks_.add(event);
  drop(thread, step.closed.size());
  if (step.opened == nullptr) {
    thread.lost += event.lost + 1;
    return;
  }
  const Nanoseconds now = event.time;
  thread.open.push_back({.start = std::move(event)});
  let_pass(thread, now, out);
}

void DurationFilter::end(ThreadState& thread, Event event, std::vector<Event>& out) {
  const CallStacks::Step step = stacks_.add(event);
  const std::size_t unseen = step.closed.size() - (step.matched ? 1 : 0);
  drop(thread, unseen);
  // Without a beginning, it is either as old as the trace, or nobody knows how old.
  const bool began_before = event.kind != Kind::call_end || event.depth < 0;
  const bool passes = step.matched ? thread.passed == thread.open.size() : thread.passed > 0 && began_before;
  if (step.matched) drop(thread, 1);
  if (passes) {
    event.lost += std::exchange(thread.lost, 0);
    out.push_back(std::move(event));
  } else {
    thread.lost += event.lost;
  }
}

void DurationFilter::keep(ThreadState& thread, Event event, std::vector<Event>& out) {
  Open& innermost = thread.open.back();
  if (thread.passed == thread.open.size()) {
    out.push_back(std::move(event));
  } else if (thread.kept < kMaxKept) {
    innermost.kept.push_back(std::move(event));
    ++thread.kept;
  } else {
    ++innermost.left_out;
    thread.lost += event.lost;
  }
}

// The innermost ones are over. If they have not passed, they were too short; events that were lost among theirs may
// have been anybody's.
void DurationFilter::drop(ThreadState& thread, std::size_t count) {
  for (; count > 0; --count) {
    const Open& open = thread.open.back();
    if (thread.passed < thread.open.size()) {
      thread.lost += open.start.lost;
      for (const Event& kept : open.kept) thread.lost += kept.lost;
      thread.kept -= open.kept.size();
    }
    thread.open.pop_back();
  }
  thread.passed = std::min(thread.passed, thread.open.size());
}

}  // namespace flametap::events
