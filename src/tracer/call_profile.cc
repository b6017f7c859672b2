#include "tracer/call_profile.h"

#include <algorithm>

namespace flametap::tracer {

using events::Event;
using events::Kind;
using events::SpanKind;
using profile::StackId;

CallProfile::CallProfile(profile::Sink& sink, Nanoseconds began, std::uint64_t start_unix_ns)
    : sink_(sink), began_(began) {
  profile_.recording.start_unix_ns = start_unix_ns;
  profile_.recording.mode = profile::Mode::unknown;  // calls say nothing of who had a CPU or the GIL
}

void CallProfile::add_process(pid_t pid, const std::string& command, const std::string& python) {
  if (processes_.contains(pid)) return;
  processes_[pid] = profile_.add(profile::Process{pid, command, python});
}

Result<void> CallProfile::add(const Event& event) {
  ThreadState& state = threads_[event.thread];
  const events::CallStacks::Step step = stacks_.add(event);
  const std::size_t staying = state.open.size() - step.closed.size();
  StackId passed = state.stack();
  if (event.lost > 0) {
    const StackId around = staying == 0 ? profile::kEmptyStack : state.open[staying - 1].stack;
    if (passed != profile::kEmptyStack) passed = push_marker(around, "(events lost)");
  }
  const bool changes = event.lost > 0 || step.opened != nullptr || !step.closed.empty() || event.kind == Kind::line;
  if (changes) {
    if (const auto done = hand_on(*event.thread, state, passed, event.time); !done) return done;
  }
  if (step.matched && event.kind == Kind::call_end) table_.left(state.open[staying].function, event.line);
  state.open.resize(staying);
  if (step.opened != nullptr) begin(*step.opened, state);
  if (event.kind == Kind::line) move_to_line(event, state);
  if (event.kind == Kind::thread_end) threads_.erase(event.thread);
  return {};
}

Result<void> CallProfile::checkpoint(Nanoseconds now) {
  for (const events::Thread* thread : threads_.threads()) {
    ThreadState& state = threads_[thread];
    if (const auto done = hand_on(*thread, state, state.stack(), now); !done) return done;
  }
  profile_.recording.duration_ns = now > began_ ? now - began_ : 0;
  return sink_.checkpoint(profile_);
}

Result<void> CallProfile::finish(const events::Ending& ending, const std::string& why) {
  for (const events::Thread* thread : threads_.threads()) {
    ThreadState& state = threads_[thread];
    if (const auto done = hand_on(*thread, state, state.stack(), ending.ended); !done) return done;
  }
  profile::Recording& recording = profile_.recording;
  recording.duration_ns = ending.ended > began_ ? ending.ended - began_ : 0;
  recording.ended = why;
  if (ending.lost > 0) recording.quality.more[std::string(profile::kLostEvents)] = ending.lost;
  return sink_.finish(profile_);
}

// The time up to now was that of this stack.
Result<void> CallProfile::hand_on(const events::Thread& thread, ThreadState& state, StackId stack, Nanoseconds now) {
  const Nanoseconds since = std::max(state.since, began_);
  state.since = std::max(since, now);
  if (stack == profile::kEmptyStack || now <= since) return {};
  return sink_.add(profile_, {.time_ns = since - began_,
                              .weight_ns = now - since,
                              .thread = thread_id(thread, state),
                              .stack = stack,
                              .ticks = 0,  // nobody counted: it is all time
                              .state = 0});
}

void CallProfile::begin(const events::Span& span, ThreadState& state) {
  const StackId around = state.stack();
  switch (span.kind) {
    case SpanKind::call: {
      // Of a call whose beginning was not told, the line is not that of a beginning.
      const std::uint32_t function = table_.called(span.file, span.function, span.unmarked ? 0 : span.line);
      state.open.push_back({around, push(around, function, 0), function});
      break;
    }
    case SpanKind::gc:
      state.open.push_back({around, push_marker(around, "(gc)"), events::FunctionTable::kOthers});
      break;
    case SpanKind::import:
      state.open.push_back({around, around, events::FunctionTable::kOthers});
      break;
  }
}

// Lines of a function that is not known to be open say nothing about the one that is.
void CallProfile::move_to_line(const Event& event, ThreadState& state) {
  if (state.open.empty()) return;
  Open& innermost = state.open.back();
  const events::KnownFunction& function = table_[innermost.function];
  if (function.function != event.function || function.file != event.file) return;
  innermost.stack = push(innermost.around, innermost.function, event.line);
}

StackId CallProfile::push(StackId around, std::uint32_t function, std::int32_t line) {
  for (auto next = static_cast<std::uint32_t>(functions_.size()); next < table_.size(); ++next) {
    const events::KnownFunction& known = table_[next];
    functions_.push_back(
        profile_.intern(profile::Function{profile_.intern(known.function.empty() ? "(unknown)" : known.function),
                                          profile_.intern(known.file), known.line, profile::FrameKind::python}));
  }
  return profile_.push(around, profile_.intern(profile::Frame{functions_[function], line}));
}

StackId CallProfile::push_marker(StackId around, std::string_view text) {
  const auto function =
      profile_.intern(profile::Function{profile_.intern(text), profile::kEmptyText, 0, profile::FrameKind::marker});
  return profile_.push(around, profile_.intern(profile::Frame{function, 0}));
}

profile::ThreadId CallProfile::thread_id(const events::Thread& thread, ThreadState& state) {
  if (state.id) return *state.id;
  add_process(thread.pid, thread.program, "");
  state.id = profile_.add(profile::Thread{processes_.at(thread.pid), static_cast<std::uint64_t>(thread.tid),
                                          thread.name.empty() ? thread.program : thread.name});
  return *state.id;
}

}  // namespace flametap::tracer
