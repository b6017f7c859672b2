#include "format/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "format/chrome.h"
#include "format/cpuprofile.h"
#include "profile/test_profile.h"

namespace flametap::format {
namespace {

using nlohmann::json;
using profile::Profile;
using profile::TestProfile;
using ::testing::ElementsAre;

constexpr std::uint64_t kMs = 1'000'000;

// Adds a sample of one millisecond per tick.
void sample(TestProfile& test, profile::ThreadId thread, std::uint64_t time, std::uint64_t ticks,
            std::initializer_list<profile::TestFrame> frames, stack::State state = stack::kOnCpu) {
  test.profile.add({time, ticks * kMs, thread, test.stack(frames), ticks, state});
}

// `start-end` in milliseconds.
std::vector<std::string> spans(const Profile& profile) {
  std::vector<std::string> result;
  for (const Span& span : timeline_of(profile, samples_by_thread(profile).at(0))) {
    result.push_back(std::to_string(span.start_ns / kMs) + "-" + std::to_string(span.end_ns / kMs));
  }
  return result;
}

// `name@start+duration` in milliseconds, in the order of the file.
std::vector<std::string> slices(const Profile& profile) {
  std::vector<std::string> result;
  const json trace = json::parse(write_chrome(profile));
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    result.push_back(event["name"].get<std::string>() + "@" + std::to_string(event["ts"].get<int>() / 1000) + "+" +
                     std::to_string(event["dur"].get<int>() / 1000));
  }
  return result;
}

TEST(Timeline, SpansMeetUnlessThereIsAGap) {
  TestProfile test;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  sample(test, thread, 0, 2, {"f"});
  sample(test, thread, 3 * kMs, 2, {"g"});   // late by a tick
  sample(test, thread, 4 * kMs, 1, {"f"});   // the weight of g looked back
  sample(test, thread, 50 * kMs, 3, {"g"});  // it slept
  EXPECT_THAT(spans(test.profile), ElementsAre("0-3", "3-4", "4-5", "50-53"));
}

TEST(Timeline, StretchesOfTimeEndWhereTheyEnd) {
  TestProfile test;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  test.profile.add({0, 2 * kMs, thread, test.stack({"f"}), 0, 0});
  test.profile.add({3 * kMs, 2 * kMs, thread, test.stack({"g"}), 0, 0});
  EXPECT_THAT(spans(test.profile), ElementsAre("0-2", "3-5"));
}

TEST(Timeline, WithoutTimesOneFollowsTheOther) {
  TestProfile test;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  test.profile.add({0, 2 * kMs, thread, test.stack({"f"}), 1, 0});
  test.profile.add({0, 3 * kMs, thread, test.stack({"g"}), 1, 0});
  EXPECT_THAT(spans(test.profile), ElementsAre("0-2", "2-5"));
  TestProfile untimed;
  untimed.profile.add({0, 0, untimed.thread("MainThread", 7), untimed.stack({"f"}), 4, 0});
  EXPECT_THAT(spans(untimed.profile), ElementsAre("0-4"));
}

TEST(Chrome, WhatGoesOnIsOneSlice) {
  TestProfile test;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  sample(test, thread, 0, 1, {{"main", "/a.py", 3}, {"f", "/a.py", 9}});
  sample(test, thread, 1 * kMs, 1, {{"main", "/a.py", 4}, {"f", "/a.py", 8}, {"g", "/a.py", 1}});  // other lines
  sample(test, thread, 2 * kMs, 1, {{"main", "/a.py", 4}, {"h", "/a.py", 1}});
  sample(test, thread, 40 * kMs, 1, {{"main", "/a.py", 4}, {"h", "/a.py", 1}});
  EXPECT_THAT(slices(test.profile), ElementsAre("main@0+3", "f@0+2", "g@1+1", "h@2+1", "main@40+1", "h@40+1"));
}

TEST(Chrome, StatesAreSlicesOfTheirOwn) {
  TestProfile test;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  sample(test, thread, 0, 1, {"f"}, stack::kOnCpu);
  sample(test, thread, 1 * kMs, 2, {"f"}, 0);
  sample(test, thread, 3 * kMs, 1, {"f"}, stack::kWaitsForGil);
  sample(test, thread, 4 * kMs, 1, {"f"}, stack::kOnCpu | stack::kInGc);
  sample(test, thread, 5 * kMs, 1, {});
  EXPECT_THAT(slices(test.profile),
              ElementsAre("f@0+5", "(idle)@1+2", "(waiting for the GIL)@3+1", "(gc)@4+1", "(no Python frames)@5+1"));
  test.profile.recording.mode = profile::Mode::unknown;
  EXPECT_THAT(slices(test.profile), ElementsAre("f@0+5", "(no Python frames)@5+1"));
}

TEST(Chrome, TracksOfTheSameIdStayApart) {
  TestProfile test;
  const profile::ProcessId one = test.profile.add(profile::Process{7, "a", ""});
  const profile::ProcessId other = test.profile.add(profile::Process{7, "b", ""});
  for (const profile::ProcessId process : {one, other, other}) {
    sample(test, test.profile.add(profile::Thread{process, 7, "t"}), 0, 1, {"f"});
  }
  std::set<std::pair<int, int>> tracks;
  const json trace = json::parse(write_chrome(test.profile));
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "X") tracks.emplace(event["pid"], event["tid"]);
  }
  EXPECT_EQ(tracks.size(), 3u);
}

TEST(Cpuprofile, OneThreadIsShownWhenItRan) {
  TestProfile test;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  sample(test, thread, 2 * kMs, 1, {{"main", "/my app/a.py", 3, 2}});
  sample(test, thread, 9 * kMs, 1, {{"main", "/my app/a.py", 4, 2}});
  const json written = json::parse(write_cpuprofile(test.profile));
  EXPECT_THAT(written["timeDeltas"], ElementsAre(0, 2000, 1000, 6000, 1000));
  EXPECT_EQ(written["endTime"].get<int>() - written["startTime"].get<int>(), 10'000);
  const json& frame = written["nodes"][2]["callFrame"];
  EXPECT_EQ(frame["functionName"], "main");
  EXPECT_EQ(frame["url"], "file:///my%20app/a.py");
  EXPECT_EQ(frame["lineNumber"], 1) << "from 0 on";
  EXPECT_EQ(written["nodes"][2]["positionTicks"], json::parse(R"([{"line": 3, "ticks": 1}, {"line": 4, "ticks": 1}])"));
}

TEST(Cpuprofile, ThreadsStandOneAfterTheOther) {
  TestProfile test;
  sample(test, test.thread("one", 7), 5 * kMs, 2, {"f"});
  sample(test, test.thread("two", 8), 5 * kMs, 3, {"f"});
  const json written = json::parse(write_cpuprofile(test.profile));
  EXPECT_EQ(written["nodes"][1]["callFrame"]["functionName"], "thread one (7)");
  EXPECT_EQ(written["nodes"][3]["callFrame"]["functionName"], "thread two (8)");
  EXPECT_THAT(written["timeDeltas"], ElementsAre(0, 2000, 3000));
}

}  // namespace
}  // namespace flametap::format
