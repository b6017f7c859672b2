// ByThread: something for each thread that events come from.
//
// Events come in runs of one thread, so the thread of the last look-up is tried first. A value stays where it is until
// its thread is erased. Not safe for concurrent calls.
#pragma once

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "events/event.h"

namespace flametap::events {

template <typename Value>
class ByThread {
 public:
  Value& operator[](const Thread* thread) {
    if (thread != last_thread_ || last_value_ == nullptr) {
      last_value_ = &values_[thread];
      last_thread_ = thread;
    }
    return *last_value_;
  }

  [[nodiscard]] const Value* find(const Thread* thread) const {
    const auto found = values_.find(thread);
    return found == values_.end() ? nullptr : &found->second;
  }

  void erase(const Thread* thread) {
    if (thread == last_thread_) last_value_ = nullptr;
    values_.erase(thread);
  }

  // In the order of their ids, whenever and wherever it runs.
  [[nodiscard]] std::vector<const Thread*> threads() const {
    std::vector<const Thread*> result;
    for (const auto& [thread, value] : values_) result.push_back(thread);
    std::ranges::sort(result, {}, [](const Thread* thread) { return std::tuple(thread->pid, thread->tid, thread); });
    return result;
  }

 private:
  std::unordered_map<const Thread*, Value> values_;
  const Thread* last_thread_ = nullptr;
  Value* last_value_ = nullptr;
};

}  // namespace flametap::events
