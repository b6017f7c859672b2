#include "events/duration_filter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "events/test_events.h"

namespace flametap::events {
namespace {

const Thread kFirstThread{.pid = 1, .tid = 1, .program = "python3"};
const Thread kSecondThread{.pid = 1, .tid = 2, .program = "python3"};
constexpr Nanoseconds kMinimum = 100;

std::string told(const std::vector<Event>& events) {
  std::string result;
  for (const Event& event : events) {
    const bool is_end = event.kind == Kind::call_end || event.kind == Kind::gc_done || event.kind == Kind::import_done;
    const bool is_inside = event.kind == Kind::line || event.kind == Kind::audit;
    if (event.lost > 0) result += "?" + std::to_string(event.lost);
    result += is_end ? "-" : is_inside ? "." : event.kind == Kind::thread_end ? "|" : "+";
    result += event.function.empty() ? event.name : event.function;
    result += " ";
  }
  return result;
}

Event line(const Thread& thread, Nanoseconds time, std::int32_t depth, std::string_view function) {
  Event event = call(thread, time, depth, function);
  event.kind = Kind::line;
  return event;
}

std::string filtered(const std::vector<Event>& events) {
  DurationFilter filter(kMinimum, 0);
  std::vector<Event> out;
  for (const Event& event : events) filter.add(event, out);
  return told(out);
}

TEST(DurationFilter, OnlyLongCallsPass) {
  EXPECT_EQ(filtered({call(kFirstThread, 1, 0, "long"), call(kFirstThread, 2, 1, "short"),
                      call_end(kFirstThread, 3, 1, "short"), call(kFirstThread, 10, 1, "child"),
                      call_end(kFirstThread, 110, 1, "child"), call_end(kFirstThread, 111, 0, "long"),
                      call(kFirstThread, 120, 0, "short"), call_end(kFirstThread, 219, 0, "short")}),
            "+long +child -child -long ");
}

TEST(DurationFilter, WhatBelongsToALongCallPassesWithIt) {
  EXPECT_EQ(filtered({call(kFirstThread, 1, 0, "long"), line(kFirstThread, 2, 1, "long"),
                      call(kFirstThread, 3, 1, "short"), line(kFirstThread, 4, 2, "short"),
                      call_end(kFirstThread, 5, 1, "short"), line(kFirstThread, 6, 1, "long"),
                      line(kFirstThread, 200, 1, "long"), call_end(kFirstThread, 201, 0, "long")}),
            "+long .long .long .long -long ");
}

TEST(DurationFilter, ALongCallIsSeenWhileItRuns) {
  DurationFilter filter(kMinimum, 0);
  std::vector<Event> out;
  filter.add(call(kFirstThread, 10, 0, "outer"), out);
  filter.add(call(kFirstThread, 60, 1, "inner"), out);
  filter.advance(109, out);
  EXPECT_EQ(told(out), "");
  filter.advance(110, out);
  EXPECT_EQ(told(out), "+outer ");
  filter.add(call(kSecondThread, 300, 0, "other"), out);  // not the other thread's business
  filter.advance(300, out);
  EXPECT_EQ(told(out), "+outer +inner ");
  filter.add(call_end(kFirstThread, 310, 1, "inner"), out);
  EXPECT_EQ(told(out), "+outer +inner -inner ");
}

TEST(DurationFilter, CollectionsAndImportsAreJudgedOnTheirOwn) {
  EXPECT_EQ(
      filtered({happened(Kind::import_start, kFirstThread, 1, "long"), happened(Kind::gc_start, kFirstThread, 2, "gc"),
                happened(Kind::gc_done, kFirstThread, 3, "gc"), happened(Kind::import_start, kFirstThread, 4, "short"),
                happened(Kind::import_done, kFirstThread, 5, "short"), happened(Kind::gc_start, kFirstThread, 6, "gc"),
                happened(Kind::gc_done, kFirstThread, 106, "gc"),
                happened(Kind::import_done, kFirstThread, 107, "long")}),
      "+long +gc -gc -long ");
}

TEST(DurationFilter, WhatRanBeforeTheTraceIsAsOldAsTheTrace) {
  EXPECT_EQ(filtered({call_end(kFirstThread, 50, -1, "young"), line(kFirstThread, 51, -1, "main"),
                      call_end(kFirstThread, 150, -2, "old"), line(kFirstThread, 160, -2, "main")}),
            ".main -old .main ");
}

TEST(DurationFilter, LossesAreNotForgotten) {
  EXPECT_EQ(filtered({call(kFirstThread, 1, 0, "long"), after_loss(call(kFirstThread, 2, 1, "short"), 3),
                      call_end(kFirstThread, 3, 1, "short"), call_end(kFirstThread, 200, 0, "long")}),
            "+long ?3-long ");
  EXPECT_EQ(filtered({call(kFirstThread, 1, 0, "a"), call(kFirstThread, 200, 1, "b"),
                      after_loss(call_end(kFirstThread, 400, 0, "a"), 7)}),
            "+a +b ?7-a ");
}

TEST(DurationFilter, TheEndOfAThreadIsTheEndOfItAll) {
  EXPECT_EQ(filtered({call(kFirstThread, 1, 0, "long"), call(kFirstThread, 150, 1, "short"),
                      happened(Kind::thread_end, kFirstThread, 200), call(kFirstThread, 201, 0, "again")}),
            "+long | ");
}

TEST(DurationFilter, WhatIsKeptIsBounded) {
  DurationFilter filter(kMinimum, 0);
  std::vector<Event> out;
  filter.add(call(kFirstThread, 1, 0, "f"), out);
  constexpr std::size_t kLines = 300'000;
  for (std::size_t i = 0; i < kLines; ++i) filter.add(line(kFirstThread, 2, 1, "f"), out);
  EXPECT_TRUE(out.empty());
  filter.add(call_end(kFirstThread, 500, 0, "f"), out);
  EXPECT_EQ(out.size() + out.back().lost, kLines + 2);
}

}  // namespace
}  // namespace flametap::events
