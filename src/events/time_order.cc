#include "events/time_order.h"

namespace flametap::events {

void TimeOrder::push(Event event) {
  Nanoseconds& newest = newest_[event.thread];
  const Nanoseconds time = std::max({event.time, newest, handed_out_});
  newest = time;
  if (time != event.time) ++out_of_order_;
  if (event.kind == Kind::thread_end) newest_.erase(event.thread);
  if (next_ < order_.size() && time < order_.back().time) is_sorted_ = false;
  order_.push_back({time, events_.size()});
  events_.push_back(std::move(event));
}

// Stable: of equal times the one that came first is first.
void TimeOrder::sort() {
  if (is_sorted_) return;
  std::stable_sort(order_.begin() + static_cast<std::ptrdiff_t>(next_), order_.end(),
                   [](const Key& a, const Key& b) { return a.time < b.time; });
  is_sorted_ = true;
}

// Only when most of it is done with: moving the rest for every event would cost more than the order itself.
void TimeOrder::forget_handed_out() {
  if (next_ == order_.size()) {
    events_.clear();
    order_.clear();
    next_ = 0;
    return;
  }
  if (next_ < order_.size() / 2) return;
  std::vector<Event> rest;
  rest.reserve(order_.size() - next_);
  order_.erase(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(next_));
  for (Key& key : order_) {
    rest.push_back(std::move(events_[key.place]));
    key.place = rest.size() - 1;
  }
  events_ = std::move(rest);
  next_ = 0;
}

}  // namespace flametap::events
