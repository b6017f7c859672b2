#include "tracer/call_profile.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "events/summary.h"
#include "events/test_events.h"

namespace flametap::tracer {
namespace {

using events::after_loss;
using events::call;
using events::call_end;
using events::Event;
using events::happened;
using events::Kind;

const events::Thread kMain{.pid = 7, .tid = 7, .program = "python3", .name = "MainThread"};
const events::Thread kWorker{.pid = 7, .tid = 8, .program = "python3"};

// Writes down what it gets.
class Notes final : public profile::Sink {
 public:
  Result<void> add(const profile::Profile& tables, const profile::Sample& sample) override {
    std::string stack;
    for (const profile::FrameId frame : tables.frames_of(sample.stack)) {
      stack += std::string(stack.empty() ? "" : ";") + std::string(tables.name(frame));
      if (tables.frame(frame).line > 0) stack += ":" + std::to_string(tables.frame(frame).line);
      self_of = tables.name(frame);
    }
    told += std::to_string(sample.time_ns) + "+" + std::to_string(sample.weight_ns) + " " + stack + "\n";
    self[self_of] += sample.weight_ns;
    EXPECT_EQ(sample.ticks, 0U);
    return {};
  }
  Result<void> checkpoint(const profile::Profile&) override {
    told += "checkpoint\n";
    return {};
  }
  Result<void> finish(const profile::Profile& tables) override {
    ended = tables.recording;
    return {};
  }

  std::string told;
  std::string self_of;
  std::map<std::string, std::uint64_t> self;
  profile::Recording ended;
};

std::string samples_of(const std::vector<Event>& events, Nanoseconds ended = 1'000) {
  Notes notes;
  CallProfile profile(notes, 100, 0);
  for (const Event& event : events) EXPECT_TRUE(profile.add(event).ok());
  EXPECT_TRUE(profile.finish({.began = 100, .ended = ended}, "").ok());
  return notes.told;
}

TEST(CallProfile, EachStretchOfTimeIsASample) {
  EXPECT_EQ(samples_of({call(kMain, 110, 0, "a"), call(kMain, 120, 1, "b"), call_end(kMain, 150, 1, "b"),
                        call_end(kMain, 160, 0, "a"), call(kMain, 170, 0, "a"), call_end(kMain, 175, 0, "a")}),
            "10+10 a\n20+30 a;b\n50+10 a\n70+5 a\n");
}

TEST(CallProfile, WhatIsOpenAtTheEndIsThereUpToTheEnd) {
  EXPECT_EQ(
      samples_of({call(kMain, 110, 0, "a"), call(kWorker, 120, 0, "w"), happened(Kind::thread_end, kWorker, 130)}, 200),
      "20+10 w\n10+90 a\n");
}

TEST(CallProfile, ACollectionIsAFrameAndAnImportIsNot) {
  EXPECT_EQ(samples_of({call(kMain, 100, 0, "a"), happened(Kind::import_start, kMain, 110, "json"),
                        call(kMain, 120, 1, "load"), happened(Kind::gc_start, kMain, 130, "", 2),
                        happened(Kind::gc_done, kMain, 140), call_end(kMain, 150, 1, "load"),
                        happened(Kind::import_done, kMain, 160, "json", 1), call_end(kMain, 170, 0, "a")}),
            "0+10 a\n10+10 a\n20+10 a;load\n30+10 a;load;(gc)\n40+10 a;load\n50+10 a\n60+10 a\n");
}

TEST(CallProfile, LinesAreThoseOfTheInnermostFrame) {
  Event line = call(kMain, 110, 1, "a", 5);
  line.kind = Kind::line;
  Event other = line;
  other.function = "hidden";
  other.time = 115;
  EXPECT_EQ(samples_of({call(kMain, 100, 0, "a"), line, other, call_end(kMain, 130, 0, "a")}),
            "0+10 a\n10+5 a:5\n15+15 a:5\n");
}

TEST(CallProfile, WhoRanWhileEventsWereLostIsNotKnown) {
  EXPECT_EQ(samples_of({call(kMain, 100, 0, "a"), call(kMain, 110, 1, "b"), after_loss(call(kMain, 150, 1, "c"), 2),
                        call_end(kMain, 160, 1, "c"), call_end(kMain, 170, 0, "a")}),
            "0+10 a\n10+40 a;(events lost)\n50+10 a;c\n60+10 a\n");
}

TEST(CallProfile, ACheckpointHandsOnWhatIsOpen) {
  Notes notes;
  CallProfile profile(notes, 100, 0);
  profile.add_process(7, "python3 shop.py", "3.15.0");
  ASSERT_TRUE(profile.add(call(kMain, 110, 0, "a")).ok());
  ASSERT_TRUE(profile.checkpoint(130).ok());
  ASSERT_TRUE(profile.add(call_end(kMain, 150, 0, "a")).ok());
  ASSERT_TRUE(profile.finish({.began = 100, .ended = 200, .lost = 3}, "the time was up").ok());
  EXPECT_EQ(notes.told, "10+20 a\ncheckpoint\n30+20 a\n");
  EXPECT_EQ(notes.ended.ended, "the time was up");
  EXPECT_EQ(notes.ended.duration_ns, 100U);
  EXPECT_EQ(notes.ended.quality.more.at("lost_events"), 3U);
  EXPECT_EQ(profile.tables().processes()[0].command, "python3 shop.py");
  EXPECT_EQ(profile.tables().threads()[0].name, "MainThread");
}

TEST(CallProfile, TheWeightsOfAFunctionAreItsSelfTime) {
  static constexpr std::string_view kNames[] = {"a", "b", "c", "d", "e"};
  std::mt19937 random(3);
  Notes notes;
  CallProfile profile(notes, 0, 0);
  events::Summary summary;
  const auto add = [&](const Event& event) {
    ASSERT_TRUE(profile.add(event).ok());
    summary.add(event);
  };
  std::map<const events::Thread*, std::vector<std::string_view>> open;
  Nanoseconds now = 0;
  for (int i = 0; i < 20'000; ++i) {
    const events::Thread* thread = random() % 2 == 0 ? &kMain : &kWorker;
    std::vector<std::string_view>& stack = open[thread];
    now += random() % 1000;
    const auto depth = static_cast<std::int32_t>(stack.size());
    if (stack.empty() || (stack.size() < 20 && random() % 2 == 0)) {
      stack.push_back(kNames[random() % std::size(kNames)]);
      add(call(*thread, now, depth, stack.back()));
    } else {
      add(call_end(*thread, now, depth - 1, stack.back(), 1));
      stack.pop_back();
    }
  }
  ASSERT_TRUE(profile.finish({.ended = now}, "").ok());
  summary.finish(now);
  ASSERT_EQ(summary.functions().size(), std::size(kNames));
  for (const events::FunctionSummary& row : summary.functions()) {
    EXPECT_EQ(notes.self[std::string(row.function.function)], row.self) << row.function.function;
  }
}

}  // namespace
}  // namespace flametap::tracer
