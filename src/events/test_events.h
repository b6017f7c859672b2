// Events in few words, for tests.
#pragma once

#include <string_view>

#include "events/event.h"

namespace flametap::events {

inline Event call(const Thread& thread, Nanoseconds time, std::int32_t depth, std::string_view function,
                  std::int32_t line = 1) {
  return {.kind = Kind::call,
          .time = time,
          .thread = &thread,
          .depth = depth,
          .line = line,
          .file = "app/shop.py",
          .function = function};
}

inline Event call_end(const Thread& thread, Nanoseconds time, std::int32_t depth, std::string_view function,
                      std::int32_t line = 2) {
  Event event = call(thread, time, depth, function, line);
  event.kind = Kind::call_end;
  return event;
}

// What happened in a function, at this depth.
inline Event happened(Kind kind, const Thread& thread, Nanoseconds time, std::string_view name = "",
                      std::int64_t value = 0) {
  return {.kind = kind, .time = time, .thread = &thread, .name = name, .value = value};
}

inline Event after_loss(Event event, std::uint32_t lost) {
  event.lost = lost;
  return event;
}

}  // namespace flametap::events
