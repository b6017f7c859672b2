// TraceView: how the events of a trace are written down, one file per way.
//
// Events come in the order of their time; in the order of their thread always. A view appends what is to be written
// now to a text, and keeps no more than it needs: a trace may run for days.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "events/event.h"

namespace flametap::format {

enum class TraceFormat : std::uint8_t { tree, dtrace, stap, jsonl, chrome, summary };

struct TraceOptions {
  Nanoseconds began = 0;  // times of tree and chrome count from here
  bool colour = false;    // for terminals
};

class TraceView {
 public:
  TraceView() = default;
  TraceView(const TraceView&) = delete;
  TraceView& operator=(const TraceView&) = delete;
  virtual ~TraceView() = default;

  virtual void add(const events::Event& event, std::string& out) = 0;
  // Nothing more comes for the moment: what was held back to be joined with the next event is written now.
  virtual void settle(std::string& out) { (void)out; }
  virtual void finish(const events::Ending& ending, std::string& out) = 0;
};

[[nodiscard]] std::unique_ptr<TraceView> make_trace_view(TraceFormat format, const TraceOptions& options);

}  // namespace flametap::format
