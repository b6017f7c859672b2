// TraceOutput: where a trace goes, written as it comes.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cli/trace_command.h"
#include "events/event.h"
#include "format/growing_file.h"
#include "format/trace_view.h"

namespace flametap::cli {

class TraceOutput {
 public:
  TraceOutput() = default;
  TraceOutput(const TraceOutput&) = delete;
  TraceOutput& operator=(const TraceOutput&) = delete;
  virtual ~TraceOutput() = default;

  // `began`: no event is older.
  [[nodiscard]] static Result<std::unique_ptr<TraceOutput>> open(const TraceRequest& request, Nanoseconds began);

  virtual void add(const events::Event& event) = 0;
  // What was added so far is to be seen now.
  [[nodiscard]] virtual Result<void> flush() = 0;
  [[nodiscard]] virtual Result<void> finish(const events::Ending& ending) = 0;
};

}  // namespace flametap::cli
