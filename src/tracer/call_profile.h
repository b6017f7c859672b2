// CallProfile: turns the events of a trace into the samples of a profile, without any guess: each stretch of a thread's
// time in which the same calls were open becomes one sample, with its exact beginning and its exact length. So every
// report on profiles works for traces, too.
//
// A collection of garbage is a frame "(gc)" of its own. Where line events are traced, the innermost frame has its line.
// A stretch in which events were lost ends in a frame "(events lost)": who ran there is not known.
//
// Samples are handed on in the order of their ends. Not safe for concurrent calls.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "events/by_thread.h"
#include "events/call_stacks.h"
#include "events/event.h"
#include "events/function_table.h"
#include "profile/profile.h"
#include "profile/sink.h"

namespace flametap::tracer {

class CallProfile {
 public:
  // `began`: on the clock of the events. The sink must take times as they are, to the nanosecond, and outlive this.
  CallProfile(profile::Sink& sink, Nanoseconds began, std::uint64_t start_unix_ns);

  // What is known of a process, before its first event; else it is shown by the name of its first thread's program.
  void add_process(pid_t pid, const std::string& command, const std::string& python);

  [[nodiscard]] Result<void> add(const events::Event& event);

  // Nothing that happened before `now` will come any more. What was open until then is handed on, and survives us.
  [[nodiscard]] Result<void> checkpoint(Nanoseconds now);

  // The last call. `why` it ended is for people.
  [[nodiscard]] Result<void> finish(const events::Ending& ending, const std::string& why);

  [[nodiscard]] const profile::Profile& tables() const { return profile_; }

 private:
  // In step with the spans of CallStacks.
  struct Open {
    profile::StackId around;
    profile::StackId stack;  // with this one; an import has no frame
    std::uint32_t function;  // its number in the table
  };
  struct ThreadState {
    std::optional<profile::ThreadId> id{};
    Nanoseconds since = 0;  // up to then all is handed on
    std::vector<Open> open{};
    [[nodiscard]] profile::StackId stack() const { return open.empty() ? profile::kEmptyStack : open.back().stack; }
  };

  [[nodiscard]] Result<void> hand_on(const events::Thread& thread, ThreadState& state, profile::StackId stack,
                                     Nanoseconds now);
  void begin(const events::Span& span, ThreadState& state);
  void move_to_line(const events::Event& event, ThreadState& state);
  [[nodiscard]] profile::StackId push(profile::StackId around, std::uint32_t function, std::int32_t line);
  [[nodiscard]] profile::StackId push_marker(profile::StackId around, std::string_view text);
  [[nodiscard]] profile::ThreadId thread_id(const events::Thread& thread, ThreadState& state);

  profile::Sink& sink_;
  Nanoseconds began_;
  profile::Profile profile_;  // without its samples
  events::CallStacks stacks_;
  events::FunctionTable table_;
  std::vector<profile::FunctionId> functions_;  // by number in the table
  events::ByThread<ThreadState> threads_;
  std::map<pid_t, profile::ProcessId> processes_;
};

}  // namespace flametap::tracer
