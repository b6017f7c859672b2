#include "events/summary.h"

#include <gtest/gtest.h>

#include <vector>

#include "events/test_events.h"

namespace flametap::events {
namespace {

const Thread kMain{.pid = 1, .tid = 1, .program = "python3"};
const Thread kWorker{.pid = 1, .tid = 2, .program = "python3"};

Summary summary_of(const std::vector<Event>& events, Nanoseconds ended = 10'000) {
  Summary summary;
  for (const Event& event : events) summary.add(event);
  summary.finish(ended);
  return summary;
}

FunctionSummary row(const Summary& summary, std::string_view name) {
  for (const FunctionSummary& row : summary.functions()) {
    if (row.function.function == name) return row;
  }
  ADD_FAILURE() << "no " << name;
  return {};
}

TEST(Summary, TotalsAndSelfTimes) {
  const Summary summary =
      summary_of({call(kMain, 100, 0, "a"), call(kMain, 110, 1, "b"), call_end(kMain, 130, 1, "b"),
                  call(kMain, 140, 1, "b"), call_end(kMain, 145, 1, "b"), call_end(kMain, 200, 0, "a")});
  const FunctionSummary a = row(summary, "a");
  EXPECT_EQ(a.calls, 1U);
  EXPECT_EQ(a.total, 100U);
  EXPECT_EQ(a.self, 75U);
  const FunctionSummary b = row(summary, "b");
  EXPECT_EQ(b.calls, 2U);
  EXPECT_EQ(b.total, 25U);
  EXPECT_EQ(b.average, 12U);
  EXPECT_EQ(b.p50, 5U);
  EXPECT_EQ(b.p99, 20U);
  EXPECT_EQ(b.max, 20U);
  EXPECT_TRUE(b.is_exact);
  EXPECT_EQ(summary.functions()[0].function.function, "a");
}

TEST(Summary, RecursionIsCountedOnce) {
  const Summary summary =
      summary_of({call(kMain, 0, 0, "f"), call(kMain, 10, 1, "g"), call(kMain, 20, 2, "f"), call(kWorker, 25, 0, "f"),
                  call_end(kMain, 30, 2, "f"), call_end(kMain, 40, 1, "g"), call_end(kWorker, 45, 0, "f"),
                  call_end(kMain, 50, 0, "f")});
  EXPECT_EQ(row(summary, "f").total, 70U);  // 50 in the one thread, 20 in the other
  EXPECT_EQ(row(summary, "f").self, 20U + 10 + 20);
  EXPECT_EQ(row(summary, "f").calls, 3U);
}

TEST(Summary, AGeneratorIsOneFunctionAndMethodsOfOneNameAreTwo) {
  const Summary summary = summary_of({call(kMain, 0, 0, "numbers", 10), call_end(kMain, 1, 0, "numbers", 12),
                                      call(kMain, 2, 0, "numbers", 12), call_end(kMain, 3, 0, "numbers", 14),
                                      call(kMain, 4, 0, "numbers", 14), call_end(kMain, 5, 0, "numbers", 12),
                                      call(kMain, 6, 0, "__init__", 30), call_end(kMain, 7, 0, "__init__", 33),
                                      call(kMain, 8, 0, "__init__", 50), call_end(kMain, 9, 0, "__init__", 51)});
  EXPECT_EQ(summary.functions().size(), 3U);
  EXPECT_EQ(row(summary, "numbers").calls, 3U);
  EXPECT_EQ(row(summary, "numbers").function.line, 10);
}

TEST(Summary, WhatIsNotFinishedIsCountedButHasNoDuration) {
  Event thrown = call(kMain, 500, 1, "open", 99);
  thrown.unmarked = true;
  const Summary summary = summary_of(
      {call_end(kMain, 50, -1, "before"), call(kMain, 100, 0, "open"), call(kMain, 200, 1, "gone"),
       call(kMain, 300, 1, "other"), call_end(kMain, 400, 1, "other"), thrown, call_end(kMain, 500, 1, "open", 99)},
      1'100);
  EXPECT_EQ(summary.unseen_beginnings(), 1U);
  EXPECT_EQ(row(summary, "gone").unfinished, 1U);
  EXPECT_EQ(row(summary, "gone").total, 0U);
  EXPECT_EQ(row(summary, "open").calls, 2U);
  EXPECT_EQ(row(summary, "open").unfinished, 2U);
  EXPECT_EQ(row(summary, "open").total, 1'000U);
  EXPECT_EQ(row(summary, "open").self, 800U);
  EXPECT_EQ(row(summary, "open").max, 0U);
}

TEST(Summary, Collections) {
  const Summary summary =
      summary_of({happened(Kind::gc_done, kMain, 5, "", 9), happened(Kind::gc_start, kMain, 10, "", 2),
                  happened(Kind::gc_done, kMain, 40, "", 7), happened(Kind::gc_start, kMain, 50, "", 0),
                  happened(Kind::gc_done, kMain, 55, "", 0), happened(Kind::gc_start, kMain, 60, "", 2),
                  happened(Kind::gc_done, kMain, 70, "", 1)});
  const std::vector<GcSummary> rows = summary.collections();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].generation, 2);
  EXPECT_EQ(rows[1].count, 2U);
  EXPECT_EQ(rows[1].total, 40U);
  EXPECT_EQ(rows[1].max, 30U);
  EXPECT_EQ(rows[1].collected, 8);
}

TEST(Summary, ImportsAreATree) {
  const Summary summary =
      summary_of({happened(Kind::import_start, kMain, 0, "small"), happened(Kind::import_done, kMain, 5, "small", 1),
                  happened(Kind::import_start, kMain, 10, "json"), call(kMain, 11, 0, "_find_and_load"),
                  happened(Kind::import_start, kMain, 20, "re"), happened(Kind::import_done, kMain, 50, "re", 1),
                  happened(Kind::import_start, kMain, 60, "_nope"), happened(Kind::import_done, kMain, 62, "_nope", 0),
                  call_end(kMain, 99, 0, "_find_and_load"), happened(Kind::import_done, kMain, 110, "json", 1),
                  happened(Kind::import_start, kMain, 120, "cut")});
  std::string told;
  for (const ImportSummary& row : summary.imports()) {
    told += std::string(row.depth, '>') + std::string(row.module) + " " + std::to_string(row.total) + " " +
            std::to_string(row.self) + (row.not_found > 0 ? "!" : "") + (row.unfinished > 0 ? "|" : "") + "\n";
  }
  EXPECT_EQ(told, "json 100 68\n>re 30 30\n>_nope 2 2!\nsmall 5 5\ncut 0 0|\n");
}

TEST(Summary, AuditEventsByCount) {
  const Summary summary =
      summary_of({happened(Kind::audit, kMain, 1, "open"), happened(Kind::audit, kMain, 2, "import"),
                  happened(Kind::audit, kMain, 3, "open")});
  ASSERT_EQ(summary.audits().size(), 2U);
  EXPECT_EQ(summary.audits()[0].name, "open");
  EXPECT_EQ(summary.audits()[0].count, 2U);
}

}  // namespace
}  // namespace flametap::events
