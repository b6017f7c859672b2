// Summary: how often and how long, of a whole trace: functions, collections of garbage, imports, audit events.
//
// What it keeps grows with the number of functions and modules, not with time. Texts live as long as those of the
// events. Not safe for concurrent calls.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "events/by_thread.h"
#include "events/call_stacks.h"
#include "events/durations.h"
#include "events/event.h"
#include "events/function_table.h"

namespace flametap::events {

struct FunctionSummary {
  KnownFunction function{};
  std::uint64_t calls = 0;       // with resumed generators
  std::uint64_t unfinished = 0;  // of them: those whose beginning or end was not seen
  // The time that passed in it, up to the end of the trace; while it calls itself, counted once. Without calls whose
  // end was lost: nobody knows how long they took.
  Nanoseconds total = 0;
  Nanoseconds self = 0;  // without calls and collections inside
  // Of finished calls only.
  Nanoseconds average = 0;
  Nanoseconds p50 = 0;
  Nanoseconds p99 = 0;
  Nanoseconds max = 0;
  bool is_exact = true;  // p50 and p99 are; else they are right to 0.1 %
};

struct GcSummary {
  std::int64_t generation = 0;
  std::uint64_t count = 0;
  Nanoseconds total = 0;
  Nanoseconds max = 0;
  std::int64_t collected = 0;
};

struct ImportSummary {
  std::string_view module{};
  std::size_t depth = 0;  // in the tree of who imports whom
  std::uint64_t count = 0;
  std::uint64_t not_found = 0;   // of them
  std::uint64_t unfinished = 0;  // of them; without a time
  Nanoseconds total = 0;
  Nanoseconds self = 0;  // without imports inside
};

struct AuditSummary {
  std::string_view name{};
  std::uint64_t count = 0;
};

class Summary {
 public:
  void add(const Event& event);
  // The end of the trace. Nothing may be added after it.
  void finish(Nanoseconds ended);

  [[nodiscard]] std::vector<FunctionSummary> functions() const;  // the greatest total first
  [[nodiscard]] std::vector<GcSummary> collections() const;      // by generation
  [[nodiscard]] std::vector<ImportSummary> imports() const;      // a tree, from the root on; the greatest total first
  [[nodiscard]] std::vector<AuditSummary> audits() const;        // the greatest count first
  // Ends of calls whose beginning was not seen.
  [[nodiscard]] std::uint64_t unseen_beginnings() const { return unseen_beginnings_; }

 private:
  static constexpr std::size_t kMaxImports = 100'000;
  static constexpr std::size_t kMaxAudits = 10'000;

  struct FunctionEntry {
    std::uint64_t calls = 0;
    std::uint64_t unfinished = 0;
    Nanoseconds total = 0;
    Nanoseconds self = 0;
    Durations durations{};
  };
  struct ImportEntry {
    ImportSummary summary{};
    std::map<std::string_view, std::uint32_t> children{};  // their numbers
  };
  using Running = std::unordered_map<std::uint32_t, std::uint32_t>;  // function, and how many calls of it are open

  void begin(const Event& event, Span& span);
  void end(const Event& event, const ClosedSpan& closed, bool is_this);
  void end_call(const Thread* thread, const ClosedSpan& closed, std::int32_t line);
  void end_import(const ClosedSpan& closed, bool found);
  [[nodiscard]] std::uint32_t import_number(const Event& event);

  CallStacks stacks_;
  FunctionTable table_;
  std::vector<FunctionEntry> functions_;
  ByThread<Running> running_;
  std::map<std::int64_t, GcSummary> collections_;
  std::vector<ImportEntry> imports_{1};  // the first is the root of the tree
  std::unordered_map<std::string_view, std::uint64_t> audits_;
  std::uint64_t unseen_beginnings_ = 0;
};

}  // namespace flametap::events
