#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "events/test_events.h"
#include "format/trace_makers.h"

namespace flametap::format {
namespace {

using events::after_loss;
using events::call;
using events::call_end;
using events::Event;
using events::happened;
using events::Kind;
using nlohmann::json;

const events::Thread kMain{.pid = 7, .tid = 7, .program = "python3", .name = "MainThread"};
const events::Thread kWorker{.pid = 7, .tid = 8, .program = "python3"};

std::string text_of(const std::vector<Event>& events) {
  const auto view = make_trace_chrome({.began = 1'000});
  std::string out;
  for (const Event& event : events) view->add(event, out);
  view->finish({.began = 1'000, .ended = 100'000, .events = events.size(), .lost = 3}, out);
  return out;
}

// "B name ts" and so on, of one thread; and checks that each B has its E.
std::string told(const json& events, int tid) {
  std::string result;
  int open = 0;
  for (const json& event : events) {
    const std::string phase = event["ph"];
    if (event["tid"] != tid || phase == "M") continue;
    open += phase == "B" ? 1 : phase == "E" ? -1 : 0;
    EXPECT_GE(open, 0);
    result += phase + (event.contains("name") ? event["name"].get<std::string>() : "") + "@" + event["ts"].dump() + " ";
  }
  EXPECT_EQ(open, 0);
  return result;
}

TEST(TraceChrome, CallsAreBalancedWithTimesToTheNanosecond) {
  const json events = json::parse(text_of({call(kMain, 2'001, 0, "a"), call(kMain, 3'000, 1, "b"),
                                           call_end(kMain, 4'000, 1, "b"), call_end(kMain, 5'000, 0, "a")}));
  EXPECT_EQ(told(events, 7), "Ba@1.001 Bb@2.0 E@3.0 E@4.0 ");
  EXPECT_EQ(events[0]["args"]["name"], "python3");
  EXPECT_EQ(events[1]["args"]["name"], "MainThread");
  EXPECT_EQ(events[2]["args"]["file"], "app/shop.py");
}

TEST(TraceChrome, ItIsBalancedWhateverWasLost) {
  const json events =
      json::parse(text_of({call_end(kMain, 1'500, -1, "before"), call(kMain, 2'000, 0, "a"), call(kMain, 3'000, 1, "b"),
                           after_loss(call(kMain, 4'000, 1, "c"), 3), call_end(kMain, 5'000, 1, "other"),
                           call(kWorker, 6'000, 0, "w"), happened(Kind::gc_start, kWorker, 7'000, "", 2),
                           call(kMain, 7'000, 1, "still open"), happened(Kind::thread_end, kWorker, 8'000)}));
  EXPECT_EQ(told(events, 7),
            "Xbefore@0.0 Ba@1.0 Bb@2.0 i3 events lost@3.0 E@3.0 Bc@3.0 E@4.0 Bstill open@6.0 E@99.0 E@99.0 ");
  EXPECT_EQ(told(events, 8), "Bw@5.0 Bgc@6.0 E@7.0 E@7.0 ");
}

TEST(TraceChrome, CollectionsImportsAndAuditsButNoLines) {
  Event audit = happened(Kind::audit, kMain, 6'000, "open");
  audit.arguments = "('/x',)";
  const json events = json::parse(
      text_of({happened(Kind::import_start, kMain, 2'000, "json"), happened(Kind::gc_start, kMain, 3'000, "", 1),
               happened(Kind::gc_done, kMain, 4'000, "", 5), happened(Kind::line, kMain, 5'000), audit,
               happened(Kind::import_done, kMain, 7'000, "json", 1)}));
  EXPECT_EQ(told(events, 7), "Bimport json@1.0 Bgc@2.0 E@3.0 iopen@5.0 E@6.0 ");
}

TEST(TraceChrome, AnEmptyTraceIsValidToo) {
  const json events = json::parse(text_of({}));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0]["args"]["lost"], 3);
}

TEST(TraceChrome, ANameThatBecomesKnownIsSaidAgain) {
  events::Thread thread{.pid = 7, .tid = 9, .program = "python3"};
  const auto view = make_trace_chrome({});
  std::string out;
  view->add(call(thread, 1, 0, "f"), out);
  thread.name = "Pool";
  view->add(call_end(thread, 2, 0, "f"), out);
  view->finish({}, out);
  std::string names;
  for (const json& event : json::parse(out)) {
    if (event.value("name", "") == "thread_name") names += event["args"]["name"].get<std::string>() + " ";
  }
  EXPECT_EQ(names, "python3 Pool ");
}

}  // namespace
}  // namespace flametap::format
