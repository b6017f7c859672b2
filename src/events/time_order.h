// TimeOrder: brings events into the order of their time.
//
// They arrive in the right order within a thread, and in nearly the right one between threads. Events are kept until
// somebody who knows says that nothing older will come; what comes nevertheless is handed out next, and counted. Events
// of one thread are never reordered, whatever their times say. Not safe for concurrent calls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "events/by_thread.h"
#include "events/event.h"

namespace flametap::events {

class TimeOrder {
 public:
  void push(Event event);

  // Hands out, by `use(Event&&)`, all events up to this time and those that are too late. `use` must not push.
  template <typename Use>
  void take(Nanoseconds watermark, Use&& use) {
    sort();
    const Nanoseconds limit = std::max(watermark, handed_out_);
    for (; next_ < order_.size() && order_[next_].time <= limit; ++next_) {
      handed_out_ = order_[next_].time;
      Event& event = events_[order_[next_].place];
      if (event.kind == Kind::thread_end) newest_.erase(event.thread);
      use(std::move(event));
    }
    forget_handed_out();
  }

  // All that is left, when the trace is over.
  template <typename Use>
  void take_all(Use&& use) {
    take(~Nanoseconds{0}, std::forward<Use>(use));
  }

  [[nodiscard]] std::size_t waiting() const { return order_.size() - next_; }
  // Events that came after a later one of any thread was handed out, or after a later one of their own thread.
  [[nodiscard]] std::uint64_t out_of_order() const { return out_of_order_; }

 private:
  // Sorting these is cheaper than sorting events.
  struct Key {
    Nanoseconds time;   // that of the event, or later, if it came too late
    std::size_t place;  // in events_
  };

  void sort();
  void forget_handed_out();

  std::vector<Event> events_;  // as they came
  std::vector<Key> order_;     // of events_
  std::size_t next_ = 0;       // in order_: those before it were handed out
  bool is_sorted_ = true;
  Nanoseconds handed_out_ = 0;      // the time of the last one
  ByThread<Nanoseconds> newest_{};  // of each thread
  std::uint64_t out_of_order_ = 0;
};

}  // namespace flametap::events
