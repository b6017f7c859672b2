#include "format/speedscope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "format/folded.h"
#include "profile/test_profile.h"

namespace flametap::format {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A file of these profiles, with three frames.
std::string file_of(const std::string& profiles) {
  return R"json({"$schema": "https://www.speedscope.app/file-format-schema.json",
    "shared": {"frames": [{"name": "main", "file": "/a.py", "line": 3}, {"name": "f"}, {"name": "(program)"}]
},
    "name": "app", "profiles": [)json" +
         profiles + "]}";
}

ReadProfile read_speedscope_or_fail(const std::string& profiles) {
  Result<ReadProfile> result = read_speedscope(file_of(profiles));
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.ok() ? std::move(*result) : ReadProfile{};
}

TEST(ReadSpeedscope, SamplesInEveryUnit) {
  const auto weight = [](const std::string& unit) {
    return read_speedscope_or_fail(R"({"type": "sampled", "name": "x", "unit": ")" + unit +
                                   R"(", "startValue": 0, "endValue": 1, "samples": [[0, 1]], "weights": [0.5]})")
        .profile.total_weight_ns();
  };
  EXPECT_EQ(weight("seconds"), 500'000'000u);
  EXPECT_EQ(weight("milliseconds"), 500'000u);
  EXPECT_EQ(weight("microseconds"), 500u);
  EXPECT_EQ(weight("nanoseconds"), 1u);
  const ReadProfile none =
      read_speedscope_or_fail(R"({"type": "sampled", "unit": "none", "samples": [[0, 1], [0]], "weights": [2, 3]})");
  EXPECT_EQ(write_folded(none.profile), "main (/a.py:3) 3\nmain (/a.py:3);f 2\n");
  EXPECT_EQ(none.profile.total_weight_ns(), 0u);
  EXPECT_THAT(none.warnings, IsEmpty());
  const ReadProfile bytes =
      read_speedscope_or_fail(R"({"type": "sampled", "unit": "bytes", "samples": [[0]], "weights": [2]})");
  EXPECT_THAT(bytes.warnings, ElementsAre(HasSubstr("bytes")));
}

TEST(ReadSpeedscope, EachProfileIsAThread) {
  const ReadProfile two = read_speedscope_or_fail(
      R"({"type": "sampled", "name": "Thread 7 \"w\"", "unit": "seconds", "startValue": 100, "endValue": 103,
          "samples": [[0], [1]], "weights": [1, 2]},
         {"type": "sampled", "name": "Thread 7 \"w\"", "unit": "seconds", "startValue": 102, "endValue": 103,
          "samples": [[2]], "weights": [1]})");
  const profile::Profile& profile = two.profile;
  ASSERT_EQ(profile.threads().size(), 2u);
  EXPECT_EQ(profile.threads()[0].id, 7u);
  EXPECT_EQ(profile.processes().at(0).command, "app");
  EXPECT_EQ(profile.samples()[0].time_ns, 0u);
  EXPECT_EQ(profile.samples()[1].time_ns, 1'000'000'000u);
  EXPECT_EQ(profile.samples()[2].time_ns, 2'000'000'000u);
  EXPECT_EQ(profile.recording.duration_ns, 3'000'000'000u);
  const profile::FrameId program = profile.frames_of(profile.samples()[2].stack).at(0);
  EXPECT_EQ(profile.function(profile.frame(program).function).kind, profile::FrameKind::marker);
}

TEST(ReadSpeedscope, Events) {
  const ReadProfile events = read_speedscope_or_fail(
      R"({"type": "evented", "name": "x", "unit": "microseconds", "startValue": 10, "endValue": 20, "events": [
           {"type": "O", "frame": 0, "at": 10}, {"type": "O", "frame": 1, "at": 12}, {"type": "C", "frame": 1, "at": 15},
           {"type": "C", "frame": 0, "at": 16}, {"type": "O", "frame": 2, "at": 18}]})");
  EXPECT_THAT(events.warnings, IsEmpty());
  EXPECT_EQ(events.profile.total_ticks(), 0u) << "nobody counted";
  EXPECT_EQ(write_folded(events.profile), "(program) 2\nmain (/a.py:3) 3\nmain (/a.py:3);f 3\n") << "microseconds";
  ASSERT_EQ(events.profile.samples().size(), 4u);
  EXPECT_EQ(events.profile.samples()[3].time_ns, 8'000u);
}

TEST(ReadSpeedscope, DamageIsCounted) {
  const ReadProfile damaged = read_speedscope_or_fail(
      R"({"type": "sampled", "unit": "none", "samples": [[0], [9], "x", [-1], [1], [0]], "weights": [2, 1, 1, 1, -1]},
         {"type": "evented", "unit": "none", "startValue": 0, "endValue": 9, "events": [
           {"type": "C", "frame": 0, "at": 1}, {"type": "O", "frame": 0, "at": 2}, {"type": "O", "frame": 1, "at": 1},
           {"type": "X", "frame": 1, "at": 3}, {"type": "O", "frame": 77, "at": 4}]})");
  EXPECT_THAT(damaged.warnings, ElementsAre("9 samples or events were damaged and left out"));
  EXPECT_EQ(damaged.profile.total_ticks(), 2u + 7u);
}

TEST(ReadSpeedscope, SaysWhatIsWrong) {
  EXPECT_EQ(read_speedscope(R"({"profiles": []})").error().message, "there are no profiles in it");
  EXPECT_EQ(read_speedscope(file_of(R"({"type": "sampled", "samples": [[7]], "weights": [1]})")).error().message,
            "none of its samples could be read");
  const std::string cut = file_of(R"({"type": "sampled", "samples": [[0)");
  EXPECT_THAT(read_speedscope(cut.substr(0, cut.size() - 2)).error().message, HasSubstr("not JSON from line 4"));
}

TEST(ReadSpeedscope, KeepsTheTicksOfOurs) {
  profile::TestProfile test;
  test.sample(test.thread("MainThread", 7), {"f"}, 5);
  const Result<ReadProfile> again = read_speedscope(write_speedscope(test.profile));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->profile.samples().at(0).ticks, 5u);
  EXPECT_EQ(again->profile.threads(), test.profile.threads());
  EXPECT_EQ(again->profile.processes()[0].command, "python a.py");
}

}  // namespace
}  // namespace flametap::format
