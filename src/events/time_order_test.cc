#include "events/time_order.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "events/test_events.h"

namespace flametap::events {
namespace {

const Thread kEarlyThread{.pid = 1, .tid = 1, .program = "python3"};
const Thread kLateThread{.pid = 1, .tid = 2, .program = "python3"};

std::vector<Nanoseconds> times_up_to(TimeOrder& order, Nanoseconds watermark) {
  std::vector<Nanoseconds> times;
  order.take(watermark, [&](Event&& event) { times.push_back(event.time); });
  return times;
}

using Times = std::vector<Nanoseconds>;

TEST(TimeOrder, BringsTheEventsOfTwoThreadsIntoOneOrder) {
  TimeOrder order;
  for (const Nanoseconds time : Times{10, 30}) order.push(call(kEarlyThread, time, 0, "f"));
  for (const Nanoseconds time : Times{20, 40}) order.push(call(kLateThread, time, 0, "f"));
  EXPECT_EQ(times_up_to(order, 35), (Times{10, 20, 30}));
  EXPECT_EQ(order.waiting(), 1U);
  EXPECT_EQ(times_up_to(order, 100), (Times{40}));
  EXPECT_EQ(order.waiting(), 0U);
  EXPECT_EQ(order.out_of_order(), 0U);
}

TEST(TimeOrder, OfEqualTimesTheFirstToComeIsFirst) {
  TimeOrder order;
  order.push(call(kLateThread, 9, 0, "late"));
  for (const std::string_view name : {"a", "b", "c"}) order.push(call(kEarlyThread, 5, 0, name));
  std::string names;
  order.take_all([&](Event&& event) { names += event.function; });
  EXPECT_EQ(names, "abclate");
}

TEST(TimeOrder, WhatComesTooLateIsHandedOutNextAndCounted) {
  TimeOrder order;
  order.push(call(kEarlyThread, 50, 0, "f"));
  EXPECT_EQ(times_up_to(order, 60), (Times{50}));
  order.push(call(kLateThread, 55, 0, "f"));  // older than the watermark, but in order
  order.push(call(kLateThread, 70, 0, "f"));
  order.push(call(kEarlyThread, 65, 0, "f"));
  EXPECT_EQ(order.out_of_order(), 0U);
  EXPECT_EQ(times_up_to(order, 65), (Times{55, 65}));
  order.push(call(kEarlyThread, 66, 0, "f"));
  const Thread third{.pid = 1, .tid = 3, .program = "python3"};
  order.push(call(third, 20, 0, "f"));
  EXPECT_EQ(order.out_of_order(), 1U);
  EXPECT_EQ(times_up_to(order, 1), (Times{20}));  // at once, whatever the watermark
  EXPECT_EQ(times_up_to(order, 80), (Times{66, 70}));
}

TEST(TimeOrder, NeverReordersAThread) {
  TimeOrder order;
  order.push(call(kEarlyThread, 10, 0, "a"));
  order.push(call(kEarlyThread, 8, 1, "b"));  // the clock went back
  order.push(call(kLateThread, 9, 0, "-"));
  std::string names;
  order.take_all([&](Event&& event) { names += event.function; });
  EXPECT_EQ(names, "-ab");
  EXPECT_EQ(order.out_of_order(), 1U);
}

TEST(TimeOrder, ManyThreadsInManySteps) {
  std::mt19937 random(7);
  std::vector<Thread> threads(5);
  std::vector<Nanoseconds> clock(threads.size());
  TimeOrder order;
  std::map<const Thread*, Nanoseconds> last_of;
  Nanoseconds last = 0;
  std::size_t count = 0;
  const auto use = [&](Event&& event) {
    EXPECT_GE(event.time, last);
    last = event.time;
    EXPECT_GT(event.time, last_of[event.thread]);
    last_of[event.thread] = event.time;
    ++count;
  };
  for (Nanoseconds now = 100; now < 20'000; ++now) {
    const std::size_t i = random() % threads.size();
    clock[i] = std::max(clock[i] + 1, now - random() % 50);
    order.push(call(threads[i], clock[i], 0, "f"));
    if (random() % 40 == 0) order.take(now - 50, use);
  }
  order.take_all(use);
  EXPECT_EQ(count, 20'000U - 100);
  EXPECT_EQ(order.out_of_order(), 0U);
}

}  // namespace
}  // namespace flametap::events
