// EventPump: brings events from the probes' buffer to whoever shows them: judged by name and thread, held to a minimum
// of duration, in the order of their time. Also tells the kernel what it need not send again.
//
// One thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/pattern.h"
#include "events/duration_filter.h"
#include "events/event.h"
#include "events/shown_depth.h"
#include "events/time_order.h"
#include "tracer/live_target.h"
#include "tracer/name_filter.h"
#include "tracer/probes.h"
#include "tracer/pythons.h"
#include "tracer/record_reader.h"
#include "tracer/teacher.h"
#include "tracer/thread_namer.h"

namespace flametap::tracer {

class EventPump {
 public:
  struct Filters {
    Pattern function;  // of calls and lines
    Pattern file;      // the same
    Pattern thread;    // its name, the kernel's name of it, or its id
    Nanoseconds min_duration = 0;
  };
  using Use = std::function<void(const events::Event&)>;

  // The probes must have been loaded to judge what the filters judge, see judging(); they and the Pythons must outlive
  // the pump.
  EventPump(Probes& probes, Pythons& pythons, const Filters& filters);

  [[nodiscard]] static Probes::Options judging(const Filters& filters, Probes::Options options);

  // Hands on what is in the buffer and old enough that nothing older can come any more.
  void pump(const Use& use);
  // All that is left, after the probes were detached.
  void finish(const Use& use);

  // Whether the kernel may be waiting to be told where a Python keeps what runs: the sooner the better.
  [[nodiscard]] bool is_urgent() const;

  // `ended`: when the probes were detached.
  [[nodiscard]] events::Ending ending(Nanoseconds ended) const;

 private:
  struct ThreadVerdict {
    bool show = true;
    bool final = false;
  };

  // Gives whether there was anything.
  bool read();
  void welcome_newcomers();
  // What is left of them by the minimum of duration, in the order of their time.
  void take(Nanoseconds now, Nanoseconds watermark, const Use& use);
  void show(const events::Event& event, const Use& use);
  [[nodiscard]] bool shows_thread(const events::Thread& thread);
  [[nodiscard]] bool matches(const events::Thread& thread) const;

  Probes& probes_;
  Pythons& pythons_;
  Nanoseconds began_;
  NameFilter names_;
  Pattern thread_;
  LiveTarget target_;
  RecordReader reader_;
  ThreadNamer namer_;
  Teacher teacher_;
  events::ShownDepth depths_;
  events::TimeOrder order_;
  Nanoseconds min_duration_;
  events::DurationFilter durations_;
  events::TimeOrder long_ones_;  // what passed the filter, which tells of a beginning only once it knows
  std::vector<events::Event> passed_;
  std::unordered_map<const events::Thread*, flametap_thread_key> keys_;  // while a thread is to be judged
  std::unordered_map<const events::Thread*, ThreadVerdict> thread_verdicts_;
  std::uint64_t shown_ = 0;
  std::uint64_t nameless_threads_ = 0;  // that ended before --thread could judge them
};

}  // namespace flametap::tracer
