#include "events/duration_filter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "events/test_events.h"

namespace flametap::events {
namespace {

const Thread kOne{.pid = 1, .tid = 1, .program = "python3"};
const Thread kTwo{.pid = 1, .tid = 2, .program = "python3"};
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
  EXPECT_EQ(filtered({call(kOne, 1, 0, "long"), call(kOne, 2, 1, "short"), call_end(kOne, 3, 1, "short"),
                      call(kOne, 10, 1, "child"), call_end(kOne, 110, 1, "child"), call_end(kOne, 111, 0, "long"),
                      call(kOne, 120, 0, "short"), call_end(kOne, 219, 0, "short")}),
            "+long +child -child -long ");
}

TEST(DurationFilter, WhatBelongsToALongCallPassesWithIt) {
  EXPECT_EQ(filtered({call(kOne, 1, 0, "long"), line(kOne, 2, 1, "long"), call(kOne, 3, 1, "short"),
                      line(kOne, 4, 2, "short"), call_end(kOne, 5, 1, "short"), line(kOne, 6, 1, "long"),
                      line(kOne, 200, 1, "long"), call_end(kOne, 201, 0, "long")}),
            "+long .long .long .long -long ");
}

TEST(DurationFilter, ALongCallIsSeenWhileItRuns) {
  DurationFilter filter(kMinimum, 0);
  std::vector<Event> out;
  filter.add(call(kOne, 10, 0, "outer"), out);
  filter.add(call(kOne, 60, 1, "inner"), out);
  filter.advance(109, out);
  EXPECT_EQ(told(out), "");
  filter.advance(110, out);
  EXPECT_EQ(told(out), "+outer ");
  filter.add(call(kTwo, 300, 0, "other"), out);  // not the other thread's business
  filter.advance(300, out);
  EXPECT_EQ(told(out), "+outer +inner ");
  filter.add(call_end(kOne, 310, 1, "inner"), out);
  EXPECT_EQ(told(out), "+outer +inner -inner ");
}

TEST(DurationFilter, CollectionsAndImportsAreJudgedOnTheirOwn) {
  EXPECT_EQ(filtered({happened(Kind::import_start, kOne, 1, "long"), happened(Kind::gc_start, kOne, 2, "gc"),
                      happened(Kind::gc_done, kOne, 3, "gc"), happened(Kind::import_start, kOne, 4, "short"),
                      happened(Kind::import_done, kOne, 5, "short"), happened(Kind::gc_start, kOne, 6, "gc"),
                      happened(Kind::gc_done, kOne, 106, "gc"), happened(Kind::import_done, kOne, 107, "long")}),
            "+long +gc -gc -long ");
}

TEST(DurationFilter, WhatRanBeforeTheTraceIsAsOldAsTheTrace) {
  EXPECT_EQ(filtered({call_end(kOne, 50, -1, "young"), line(kOne, 51, -1, "main"), call_end(kOne, 150, -2, "old"),
                      line(kOne, 160, -2, "main")}),
            ".main -old .main ");
}

TEST(DurationFilter, LossesAreNotForgotten) {
  EXPECT_EQ(filtered({call(kOne, 1, 0, "long"), after_loss(call(kOne, 2, 1, "short"), 3), call_end(kOne, 3, 1, "short"),
                      call_end(kOne, 200, 0, "long")}),
            "+long ?3-long ");
  EXPECT_EQ(filtered({call(kOne, 1, 0, "a"), call(kOne, 200, 1, "b"), after_loss(call_end(kOne, 400, 0, "a"), 7)}),
            "+a +b ?7-a ");
}

TEST(DurationFilter, TheEndOfAThreadIsTheEndOfItAll) {
  EXPECT_EQ(filtered({call(kOne, 1, 0, "long"), call(kOne, 150, 1, "short"), happened(Kind::thread_end, kOne, 200),
                      call(kOne, 201, 0, "again")}),
            "+long | ");
}

TEST(DurationFilter, WhatIsKeptIsBounded) {
  DurationFilter filter(kMinimum, 0);
  std::vector<Event> out;
  filter.add(call(kOne, 1, 0, "f"), out);
  constexpr std::size_t kLines = 300'000;
  for (std::size_t i = 0; i < kLines; ++i) filter.add(line(kOne, 2, 1, "f"), out);
  EXPECT_TRUE(out.empty());
  filter.add(call_end(kOne, 500, 0, "f"), out);
  EXPECT_EQ(out.size() + out.back().lost, kLines + 2);
}

}  // namespace
}  // namespace flametap::events
