#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "events/test_events.h"
#include "format/trace_makers.h"
#include "format/trace_text.h"

namespace flametap::format {
namespace {

using events::after_loss;
using events::call;
using events::call_end;
using events::Event;
using events::happened;
using events::Kind;

const events::Thread kFirstThread{.pid = 8274, .tid = 8274, .program = "python3", .name = "MainThread"};
const events::Thread kSecondThread{.pid = 8274, .tid = 8275, .program = "python3"};

// Without the columns of the thread and the lines that introduce it.
std::string tree_of(const std::vector<Event>& events, const events::Ending& ending = {}) {
  const auto view = make_trace_tree({.began = 1'000});
  std::string out;
  for (const Event& event : events) view->add(event, out);
  view->finish(ending, out);
  std::string result;
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t end = out.find('\n', at);
    const std::string line = out.substr(at, end - at);
    if (line.starts_with("──") || line.find("DURATION") != std::string::npos) {
    } else if (line.starts_with("…")) {
      result += line + "\n";
    } else {
      result += line.substr(26) + "\n";
    }
    at = end + 1;
  }
  return result;
}

TEST(TraceTree, CallsWithTheirDurations) {
  EXPECT_EQ(
      tree_of({call(kFirstThread, 2'000, 0, "handle", 12), call(kFirstThread, 12'000, 1, "parse", 30),
               call(kFirstThread, 13'000, 2, "split", 40), call_end(kFirstThread, 17'200, 2, "split", 41),
               call_end(kFirstThread, 20'000, 1, "parse", 35), call_end(kFirstThread, 1'501'012'345, 0, "handle", 17)}),
      "    0.000001           → handle  app/shop.py:12\n"
      "    0.000011             → parse  app/shop.py:30\n"
      "    0.000012   4.20 µs     → split  app/shop.py:40\n"
      "    0.000019   8.00 µs   ← parse  :35\n"
      "    1.501011    1.50 s ← handle  :17\n");
}

TEST(TraceTree, ShortensLongNames) {
  const std::string name = "begin" + std::string(5000, 'x') + "end";
  const std::string out = tree_of({call(kFirstThread, 2'000, 0, name, 12)});
  EXPECT_LT(out.size(), 1000u);
  EXPECT_NE(out.find("→ beginx"), std::string::npos) << out;
  EXPECT_NE(out.find("xend  app/shop.py:12\n"), std::string::npos) << out;
}

TEST(TraceTree, ThreadsStandInAColumn) {
  const auto view = make_trace_tree({});
  std::string out;
  view->add(call(kFirstThread, 1'000, 0, "f", 12), out);
  view->add(call(kSecondThread, 2'000, 0, "g", 30), out);
  view->settle(out);
  EXPECT_EQ(out,
            "     TID THREAD                SECONDS  DURATION\n"
            "──────── thread 8274 MainThread of process 8274 python3\n"
            "    8274 MainThread           0.000001           → f  app/shop.py:12\n"
            "──────── thread 8275 of process 8274 python3\n"
            "    8275 python3              0.000002           → g  app/shop.py:30\n");
}

TEST(TraceTree, ABeginningIsHeldBackForAMomentOnly) {
  const auto view = make_trace_tree({});
  std::string out;
  view->add(call(kFirstThread, 1'000, 0, "sleep", 12), out);
  EXPECT_EQ(out, "");
  view->settle(out);
  EXPECT_NE(out.find("→ sleep"), std::string::npos);
  out.clear();
  view->settle(out);
  EXPECT_EQ(out, "");
  view->add(call_end(kFirstThread, 3'000, 0, "sleep", 13), out);
  EXPECT_NE(out.find("2.00 µs ← sleep  :13"), std::string::npos);
}

TEST(TraceTree, CollectionsImportsAuditsAndLines) {
  Event audit = happened(Kind::audit, kFirstThread, 9'000, "open");
  audit.arguments = "('/etc/hosts', 'r', 524288)";
  audit.function = "load";
  Event line = call(kFirstThread, 3'000, 1, "load", 31);
  line.kind = Kind::line;
  Event gc = happened(Kind::gc_start, kFirstThread, 4'000, "", 2);
  gc.function = "load";
  EXPECT_EQ(
      tree_of(
          {call(kFirstThread, 2'000, 0, "load", 30), line, gc, happened(Kind::gc_done, kFirstThread, 5'000, "", 1234),
           happened(Kind::import_start, kFirstThread, 6'000, "json"),
           happened(Kind::import_start, kFirstThread, 7'000, "nope"),
           happened(Kind::import_done, kFirstThread, 8'000, "nope", 0), audit,
           happened(Kind::import_done, kFirstThread, 10'000, "json", 1), call_end(kFirstThread, 11'000, 0, "load", 0)}),
      "    0.000001           → load  app/shop.py:30\n"
      "    0.000002             · load  app/shop.py:31\n"
      "    0.000003   1.00 µs   ↔ gc of generation 2: 1,234 collected  in load\n"
      "    0.000005             → import json\n"
      "    0.000006   1.00 µs     ↔ import nope: not found\n"
      "    0.000008               ◦ audit open('/etc/hosts', 'r', 524288)  in load\n"
      "    0.000009   4.00 µs   ← import json\n"
      "    0.000010   9.00 µs ← load\n");
}

TEST(TraceTree, LossesAreSaidInPlace) {
  EXPECT_EQ(tree_of({call(kFirstThread, 2'000, 0, "a", 1), call(kFirstThread, 3'000, 1, "b", 2),
                     after_loss(call(kFirstThread, 9'000, 1, "c", 3), 12), call_end(kFirstThread, 10'000, 1, "c", 3),
                     call_end(kFirstThread, 11'000, 0, "a", 4)},
                    {.lost = 12}),
            "    0.000001           → a  app/shop.py:1\n"
            "    0.000002             → b  app/shop.py:2\n"
            "    0.000008               … 12 events lost, the end of 1 call was not seen\n"
            "    0.000008   1.00 µs   → c  app/shop.py:3\n"
            "    0.000010   9.00 µs ← a  :4\n"
            "… 12 events lost: what was open around them may be wrong\n");
}

TEST(TraceTree, WhatIsOpenAtTheEndIsShown) {
  EXPECT_EQ(tree_of({call_end(kFirstThread, 1'500, -1, "before", 9), call(kFirstThread, 2'000, 0, "a", 1),
                     call(kFirstThread, 3'000, 1, "b", 2)},
                    {.ended = 5'000}),
            "    0.000000           ← before  app/shop.py:9  (began before the trace)\n"
            "    0.000001           → a  app/shop.py:1\n"
            "    0.000002             → b  app/shop.py:2\n"
            "    0.000004   3.00 µs … a  app/shop.py:1  (still open at the end)\n"
            "    0.000004   2.00 µs   … b  app/shop.py:2  (still open at the end)\n");
}

TEST(TraceTree, ACallWithoutABeginningHasNoDuration) {
  Event thrown = call(kFirstThread, 2'000, 0, "numbers", 5);
  thrown.unmarked = true;
  EXPECT_EQ(tree_of({thrown, call_end(kFirstThread, 2'000, 0, "numbers", 5)}),
            "    0.000001         ? → numbers  app/shop.py:5  (its beginning was not told)\n");
}

TEST(TraceTree, DepthIsWrittenWhereThereIsNoRoomForIt) {
  std::vector<Event> events;
  for (std::int32_t depth = 0; depth < 60; ++depth) events.push_back(call(kFirstThread, 2'000, depth, "f", 1));
  EXPECT_NE(tree_of(events).find(std::string(80, ' ') + "(58) → f"), std::string::npos);
}

TEST(TraceTree, NamesCannotDriveTheTerminal) {
  EXPECT_EQ(tree_of({call(kFirstThread, 1'000, 0, "\033[2J", 1)}).find('\033'), std::string::npos);
}

TEST(TraceTree, ColourChangesNothingElse) {
  const std::vector<Event> events = {call(kFirstThread, 1'000, 0, "f", 1), call(kSecondThread, 2'000, 0, "g", 1),
                                     call_end(kFirstThread, 900'000'000, 0, "f", 1)};
  std::string plain;
  std::string coloured;
  const auto one = make_trace_tree({});
  const auto two = make_trace_tree({.colour = true});
  for (const Event& event : events) {
    one->add(event, plain);
    two->add(event, coloured);
  }
  EXPECT_NE(coloured, plain);
  std::string without;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\033') {
      i = coloured.find('m', i);
    } else {
      without += coloured[i];
    }
  }
  EXPECT_EQ(without, plain);
}

TEST(TraceText, DurationsHaveThreeDigits) {
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(999), "999 ns");
  EXPECT_EQ(duration_text(1'000), "1.00 µs");
  EXPECT_EQ(duration_text(12'340), "12.3 µs");
  EXPECT_EQ(duration_text(999'600), "1.00 ms");
  EXPECT_EQ(duration_text(105'000'000'000), "105 s");
  EXPECT_EQ(duration_text(9'999'000'000'000), "9999 s");
}

TEST(TraceText, ALongNameIsCut) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "ab…");
  EXPECT_EQ(shortened("äöü", 3), "äöü");
  EXPECT_EQ(shortened("äöüß", 3), "äö…");
  EXPECT_EQ(shortened("", 3), "");
}

}  // namespace
}  // namespace flametap::format
