// ShownDepth: how many shown calls of its thread are open around an event, where a filter hides some of them.
//
// Not safe for concurrent calls.
#pragma once

#include <cstdint>
#include <vector>

#include "events/by_thread.h"
#include "events/event.h"

namespace flametap::events {

class ShownDepth {
 public:
  // Puts it in the place of the event's own depth. Only events that are shown may come, in the order of their thread.
  void set(Event& event) {
    if (event.kind == Kind::thread_end) {
      open_.erase(event.thread);
      return;
    }
    std::vector<std::int32_t>& open = open_[event.thread];
    const std::int32_t depth = event.depth;
    // What is as deep as a call that begins, or deeper than one that ends, is over.
    const bool begins = event.kind == Kind::call;
    while (!open.empty() && (open.back() > depth || (begins && open.back() == depth))) open.pop_back();
    if (event.kind == Kind::call_end && !open.empty() && open.back() == depth) open.pop_back();
    event.depth = static_cast<std::int32_t>(open.size());
    if (begins) open.push_back(depth);
  }

 private:
  ByThread<std::vector<std::int32_t>> open_;  // the depths of open calls, hidden ones counted
};

}  // namespace flametap::events
