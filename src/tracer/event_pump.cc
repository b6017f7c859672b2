#include "tracer/event_pump.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace flametap::tracer {
namespace {

using events::Event;
using events::Kind;

// A program in the kernel takes the time and then sends the record. In between it may have to wait for a CPU.
constexpr Nanoseconds kHold = 50'000'000;
constexpr Nanoseconds kEnd = ~Nanoseconds{0};

bool is_judged_by_name(Kind kind) { return kind == Kind::call || kind == Kind::call_end || kind == Kind::line; }

// As the kernel knows it; false if it is too long for that.
bool fill(std::span<char> field, std::string_view text) {
  if (text.size() >= field.size()) return false;
  std::memcpy(field.data(), text.data(), text.size());
  return true;
}

}  // namespace

Probes::Options EventPump::judging(const Filters& filters, Probes::Options options) {
  options.judge_functions = !filters.function.matches_all() || !filters.file.matches_all();
  options.judge_files = !filters.file.matches_all();
  options.judge_threads = !filters.thread.matches_all();
  return options;
}

EventPump::EventPump(Probes& probes, Pythons& pythons, const Filters& filters)
    : probes_(probes),
      pythons_(pythons),
      began_(monotonic_now()),
      names_(filters.function, filters.file),
      thread_(filters.thread),
      target_(pythons),
      reader_(target_),
      namer_(pythons),
      teacher_(probes, pythons),
      min_duration_(filters.min_duration),
      durations_(filters.min_duration, began_) {
  names_.on_judged([this](std::string_view file, std::string_view function, bool show) {
    flametap_function key{};
    if (!fill(key.name.text, function)) return;
    if (!names_.looks_at_files()) {
      probes_.judge(key.name, show);
    } else if (fill(key.file, file)) {
      probes_.judge(key, show);
    }
  });
}

void EventPump::welcome_newcomers() {
  for (const auto& [thread, key] : reader_.take_newcomers()) {
    namer_.add(*thread);
    if (!thread_.matches_all()) keys_.emplace(thread, key);
    teacher_.meet(*thread);
  }
}

bool EventPump::read() {
  const std::size_t count = probes_.read([this](std::span<const std::byte> record) {
    for (Event& event : reader_.read(record)) {
      // It ended, or executes another program: what was known of it is of no use any more.
      if (event.kind == Kind::thread_end && event.thread->pid == event.thread->tid) pythons_.forget(event.thread->pid);
      if (is_judged_by_name(event.kind) && !names_.shows(event.file, event.function)) continue;
      if (!names_.shows_all()) depths_.set(event);
      order_.push(std::move(event));
    }
  });
  welcome_newcomers();
  return count > 0;
}

void EventPump::take(Nanoseconds now, Nanoseconds watermark, const Use& use) {
  if (min_duration_ == 0) {
    order_.take(watermark, [&](Event&& event) { show(event, use); });
    return;
  }
  order_.take(watermark, [&](Event&& event) { durations_.add(std::move(event), passed_); });
  durations_.advance(std::min(now, watermark), passed_);
  for (Event& event : passed_) long_ones_.push(std::move(event));
  passed_.clear();
  const Nanoseconds late = watermark == kEnd ? 0 : min_duration_;
  long_ones_.take(watermark - std::min(watermark, late), [&](Event&& event) { show(event, use); });
}

void EventPump::pump(const Use& use) {
  const Nanoseconds now = monotonic_now();
  read();
  teacher_.teach();
  namer_.look(now);
  take(now, now - std::min(now, kHold), use);
}

void EventPump::finish(const Use& use) {
  while (read()) {
    // What is left can be much; it is handed on piece by piece.
    take(monotonic_now(), monotonic_now() - kHold, use);
  }
  take(monotonic_now(), kEnd, use);
}

bool EventPump::matches(const events::Thread& thread) const {
  return thread_.matches(thread.name) || thread_.matches(thread.program) || thread_.matches(std::to_string(thread.tid));
}

// A thread may be named only after its first events.
bool EventPump::shows_thread(const events::Thread& thread) {
  if (thread_.matches_all()) return true;
  ThreadVerdict& verdict = thread_verdicts_[&thread];
  if (verdict.final) return verdict.show;
  verdict = {.show = matches(thread), .final = !thread.name.empty()};
  const auto key = keys_.find(&thread);
  if (verdict.final && key != keys_.end()) {
    probes_.judge(key->second, verdict.show);
    keys_.erase(key);
  }
  return verdict.show;
}

void EventPump::show(const Event& event, const Use& use) {
  if (shows_thread(*event.thread)) {
    if (event.kind != Kind::thread_end) ++shown_;
    use(event);
  }
  if (event.kind == Kind::thread_end) {
    const auto verdict = thread_verdicts_.find(event.thread);
    if (verdict != thread_verdicts_.end() && !verdict->second.final && !verdict->second.show) ++nameless_threads_;
    thread_verdicts_.erase(event.thread);
    keys_.erase(event.thread);
  }
}

bool EventPump::is_urgent() const {
  const bool at_the_start = shown_ == 0 && monotonic_now() - began_ < kSecond;
  return at_the_start || !teacher_.is_done();
}

events::Ending EventPump::ending(Nanoseconds ended) const {
  return {.began = began_,
          .ended = ended,
          .events = shown_,
          .lost = probes_.lost(),
          .out_of_order = order_.out_of_order() + long_ones_.out_of_order(),
          .unnamed = reader_.unnamed(),
          .nameless_threads = nameless_threads_};
}

}  // namespace flametap::tracer
