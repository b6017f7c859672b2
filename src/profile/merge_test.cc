#include "profile/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "profile/test_profile.h"

namespace flametap::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Profile recording(std::uint64_t start_ns, std::initializer_list<TestFrame> frames, std::uint64_t ticks = 1) {
  TestProfile test;
  test.sample(test.thread("MainThread", 7), frames, ticks);
  test.profile.recording.start_unix_ns = start_ns;
  test.profile.recording.duration_ns = 50;
  test.profile.recording.rate_hz = 100;
  test.profile.recording.ended = "the time was up";
  test.profile.recording.quality = {
      .ticks = 5, .torn = 1, .unmerged = 3, .native_truncated = 2, .guessed = 1, .more = {{"retries", 2}}};
  return std::move(test.profile);
}

Profile merged(std::vector<Profile> recordings) {
  Result<Profile> result = merge(recordings);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.ok() ? std::move(*result) : Profile();
}

TEST(Merge, ProcessesAndThreadsStayApart) {
  const Profile both = merged({recording(1000, {"main", "f"}), recording(1000, {"main", "g"})});
  ASSERT_EQ(both.processes().size(), 2u);
  EXPECT_EQ(both.processes()[0], both.processes()[1]);
  ASSERT_EQ(both.threads().size(), 2u);
  EXPECT_EQ(both.threads()[1].process, ProcessId{1});
  EXPECT_EQ(both.samples()[1].thread, ThreadId{1});
  EXPECT_EQ(both.frame_count(), 3u) << "main is the same function";
  EXPECT_EQ(both.stack(both.samples()[0].stack).parent, both.stack(both.samples()[1].stack).parent);
}

TEST(Merge, TimesCountFromTheEarliestStart) {
  const Profile three = merged({recording(1500, {"f"}), recording(1000, {"g"}), recording(0, {"h"})});
  EXPECT_EQ(three.recording.start_unix_ns, 1000u);
  EXPECT_EQ(three.recording.duration_ns, 550u);
  std::vector<std::pair<std::string, std::uint64_t>> times;
  for (const Sample& sample : three.samples()) {
    times.emplace_back(three.name(three.stack(sample.stack).frame), sample.time_ns);
  }
  EXPECT_THAT(times, ElementsAre(std::pair("g", 0), std::pair("h", 0), std::pair("f", 500)));
}

TEST(Merge, WhatIsTheSameStaysAndCountsAreAdded) {
  const Profile both = merged({recording(1, {"f"}), recording(1, {"f"})});
  EXPECT_EQ(both.recording.rate_hz, 100);
  EXPECT_EQ(both.recording.ended, "the time was up");
  EXPECT_EQ(both.recording.quality.ticks, 10u);
  EXPECT_EQ(both.recording.quality.torn, 2u);
  EXPECT_EQ(both.recording.quality.unmerged, 6u);
  EXPECT_EQ(both.recording.quality.native_truncated, 4u);
  EXPECT_EQ(both.recording.quality.guessed, 2u);
  EXPECT_FALSE(both.recording.native);
  EXPECT_EQ(both.recording.quality.more.at("retries"), 4u);
  EXPECT_EQ(both.recording.quality.more.at("recordings"), 2u);
  Profile other = recording(1, {"f"});
  other.recording.rate_hz = 99;
  other.recording.native = true;
  const Profile three = merged({both, other});
  EXPECT_EQ(three.recording.rate_hz, 0);
  EXPECT_TRUE(three.recording.native);
  EXPECT_EQ(three.recording.quality.more.at("recordings"), 3u);
}

TEST(Merge, TheNarrowerMode) {
  Profile wall = recording(1, {"f"});
  wall.add({5, 1, ThreadId{0}, kEmptyStack, 1, 0});
  Profile cpu = recording(1, {"f"});
  cpu.recording.mode = Mode::cpu;
  EXPECT_EQ(merged({wall, wall}).samples().size(), 4u);
  const Profile both = merged({wall, cpu});
  EXPECT_EQ(both.recording.mode, Mode::cpu);
  EXPECT_EQ(both.samples().size(), 2u) << "the idle one is not in it";
  cpu.recording.mode = Mode::unknown;
  EXPECT_EQ(merged({wall, cpu}).recording.mode, Mode::unknown);
}

TEST(Merge, SamplesWithoutTimeAreNotHidden) {
  Profile untimed;
  untimed.recording.mode = Mode::unknown;
  untimed.add({0, 0, untimed.add(Thread{untimed.add(Process{0, "", ""}), 0, ""}), kEmptyStack, 3, 0});
  const Profile both = merged({untimed, recording(1, {"f"}, 2)});
  EXPECT_EQ(both.total_ticks(), 5u);
  EXPECT_EQ(both.total_weight_ns(), 0u);
  Profile only_time;
  only_time.recording.mode = Mode::unknown;
  only_time.add({0, 9, only_time.add(Thread{only_time.add(Process{0, "", ""}), 0, ""}), kEmptyStack, 0, 0});
  EXPECT_EQ(merged({only_time, recording(1, {"f"})}).total_ticks(), 0u);
  const Profile unlike[] = {untimed, only_time};
  EXPECT_THAT(merge(unlike).error().message, HasSubstr("nothing in common"));
}

TEST(Merge, SumsCannotOverflow) {
  Profile large = recording(1, {"f"});
  large.add({0, 1, ThreadId{0}, kEmptyStack, (std::uint64_t{1} << 63) - 2, stack::kOnCpu});
  large.recording.quality.torn = ~std::uint64_t{0};
  const Profile twice[] = {large, large};
  EXPECT_THAT(merge(twice).error().message, HasSubstr("too much"));
  Profile late = recording(~std::uint64_t{0}, {"f"});
  late.recording.quality.torn = ~std::uint64_t{0};
  const Profile both = merged({late, recording(1, {"f"})});
  EXPECT_EQ(both.recording.duration_ns, (std::uint64_t{1} << 63) - 1);
  EXPECT_EQ(both.recording.quality.torn, ~std::uint64_t{0});
  EXPECT_EQ(merged({}).samples().size(), 0u);
}

TEST(Merge, SourceFilesOfWhichThereAreTwoTextsAreLeftOut) {
  std::vector<Profile> recordings(2);
  for (Profile& recording : recordings) recording.add_source(recording.intern("/same.py"), "x = 1\n");
  recordings[0].add_source(recordings[0].intern("/changed.py"), "old\n");
  recordings[1].add_source(recordings[1].intern("/changed.py"), "new\n");
  const Result<Profile> merged = merge(recordings);
  ASSERT_TRUE(merged.ok());
  ASSERT_EQ(merged->sources().size(), 1u);
  EXPECT_EQ(merged->text(merged->sources().begin()->first), "/same.py");
}

}  // namespace
}  // namespace flametap::profile
