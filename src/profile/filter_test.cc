#include "profile/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profile/test_profile.h"

namespace flametap::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// One line per sample: its frames, root first, and its ticks.
std::vector<std::string> lines(const Profile& profile) {
  std::vector<std::string> result;
  for (const Sample& sample : profile.samples()) {
    std::string line;
    for (const FrameId frame : profile.frames_of(sample.stack)) line += std::string(profile.name(frame)) + ";";
    result.push_back(line + std::to_string(sample.ticks));
  }
  return result;
}

TestProfile three_states() {
  TestProfile test;
  const ThreadId main = test.thread("MainThread", 7);
  const ThreadId worker = test.thread("worker-1", 12);
  test.sample(main, {"main", "f"}, 1, stack::kOnCpu | stack::kHoldsGil);
  test.sample(main, {"main", "g"}, 2, stack::kOnCpu);
  test.sample(worker, {"run", "wait"}, 4, 0);
  test.sample(worker, {"run", "locked"}, 8, stack::kHoldsGil);
  return test;
}

TEST(Filter, KeepsAllWhenNothingIsAsked) {
  const TestProfile test = three_states();
  const Result<Profile> same = filter(test.profile, {});
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(lines(*same), lines(test.profile));
  EXPECT_EQ(same->recording, test.profile.recording);
}

TEST(Filter, ByMode) {
  const TestProfile test = three_states();
  EXPECT_THAT(lines(*filter(test.profile, {.mode = Mode::cpu})), ElementsAre("main;f;1", "main;g;2", "run;locked;8"));
  EXPECT_THAT(lines(*filter(test.profile, {.mode = Mode::gil})), ElementsAre("main;f;1", "run;locked;8"));
  EXPECT_EQ(filter(test.profile, {.mode = Mode::gil})->recording.mode, Mode::gil);
}

TEST(Filter, ReadyAndAsleepWithTheGilAreNotOnACpu) {
  TestProfile test;
  const ThreadId main = test.thread("MainThread", 7);
  test.sample(main, {"runs"}, 1, stack::kOnCpu | stack::kHoldsGil);
  test.sample(main, {"ready"}, 2, stack::kOnCpu | stack::kHoldsGil | stack::kReady);
  test.sample(main, {"sleeps"}, 4, stack::kHoldsGil | stack::kAsleepWithGil);
  EXPECT_THAT(lines(*filter(test.profile, {.mode = Mode::cpu})), ElementsAre("runs;1"));
  EXPECT_THAT(lines(*filter(test.profile, {.mode = Mode::ready})), ElementsAre("ready;2"));
  EXPECT_THAT(lines(*filter(test.profile, {.mode = Mode::gil})), ElementsAre("runs;1", "ready;2", "sleeps;4"));
  test.profile.recording.mode = Mode::ready;
  EXPECT_FALSE(filter(test.profile, {.mode = Mode::cpu}).ok());
  EXPECT_FALSE(filter(test.profile, {.mode = Mode::gil}).ok());
}

TEST(Filter, CannotBringBackWhatWasNotRecorded) {
  TestProfile test = three_states();
  test.profile.recording.mode = Mode::cpu;
  EXPECT_TRUE(filter(test.profile, {.mode = Mode::cpu}).ok());
  EXPECT_FALSE(filter(test.profile, {.mode = Mode::gil}).ok());  // one may have the GIL without a CPU
  const Result<Profile> wall = filter(test.profile, {.mode = Mode::wall});
  ASSERT_FALSE(wall.ok());
  EXPECT_EQ(wall.error().kind, Failure::usage);
  EXPECT_THAT(wall.error().message, HasSubstr("only samples of mode cpu"));
  test.profile.recording.mode = Mode::unknown;
  EXPECT_FALSE(filter(test.profile, {.mode = Mode::cpu}).ok());
  EXPECT_TRUE(filter(test.profile, {}).ok());
}

TEST(Filter, ByThreadNameOrId) {
  const TestProfile test = three_states();
  const Result<Profile> by_name = filter(test.profile, {.thread = "^worker-"});
  EXPECT_THAT(lines(*by_name), ElementsAre("run;wait;4", "run;locked;8"));
  EXPECT_EQ(by_name->threads().size(), 1u);
  EXPECT_THAT(lines(*filter(test.profile, {.thread = "^7$"})), ElementsAre("main;f;1", "main;g;2"));
  EXPECT_FALSE(filter(test.profile, {.thread = "("}).ok());
}

TEST(Filter, DroppingLinesMergesFrames) {
  TestProfile test;
  const ThreadId thread = test.thread("MainThread", 7);
  test.sample(thread, {TestFrame("f", "/a.py", 3), "g"});
  test.sample(thread, {TestFrame("f", "/a.py", 4), "g"});
  const Result<Profile> merged = filter(test.profile, {.drop_lines = true});
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(merged->frame_count(), 2u);
  EXPECT_EQ(merged->samples()[0].stack, merged->samples()[1].stack);
}

TEST(Filter, ByThreadPutsAMarkerAtTheRootOnce) {
  const TestProfile test = three_states();
  const Filter by_thread{.mode = Mode::gil, .by_thread = true};
  const Result<Profile> once = filter(test.profile, by_thread);
  ASSERT_TRUE(once.ok());
  EXPECT_THAT(lines(*once), ElementsAre("thread MainThread (7);main;f;1", "thread worker-1 (12);run;locked;8"));
  EXPECT_EQ(lines(*filter(*once, by_thread)), lines(*once));
}

TEST(Filter, SeveralProcessesGetMarkers) {
  TestProfile test;
  test.sample(test.thread("MainThread", 7, 7), {"f"});
  test.sample(test.thread("MainThread", 8, 8), {"f"});
  const Result<Profile> both = filter(test.profile, {.by_thread = true});
  ASSERT_TRUE(both.ok());
  EXPECT_THAT(lines(*both), ElementsAre("process 7 (python a.py);thread MainThread (7);f;1",
                                        "process 8 (python a.py);thread MainThread (8);f;1"));
  EXPECT_EQ(lines(*filter(*both, {.by_thread = true})), lines(*both));
}

TEST(Filter, ByProcess) {
  TestProfile test;
  test.sample(test.thread("MainThread", 7, 70), {"f"});
  test.profile.add(Process{80, "python worker.py", "3.11"});
  test.sample(test.profile.add(Thread{ProcessId{1}, 8, "MainThread"}), {"g"});
  const Result<Profile> worker = filter(test.profile, {.process = "worker"});
  ASSERT_TRUE(worker.ok());
  EXPECT_THAT(lines(*worker), ElementsAre("g;1")) << "one process needs no marker";
  ASSERT_EQ(worker->processes().size(), 1u);
  EXPECT_EQ(worker->process(worker->threads()[0].process).pid, 80);
  EXPECT_THAT(lines(*filter(test.profile, {.process = "^70$"})), ElementsAre("f;1"));
  EXPECT_THAT(lines(*filter(test.profile, {.thread = "8", .process = "7"})), ElementsAre());
  EXPECT_FALSE(filter(test.profile, {.process = "("}).ok());
}

TEST(Filter, AProcessOfWhichNothingIsKnownGetsNoMarker) {
  Profile profile;
  for (int i = 0; i < 2; ++i) {
    profile.add({0, 0, profile.add(Thread{profile.add(Process{0, "", ""}), 0, ""}), kEmptyStack, 1, stack::kOnCpu});
  }
  EXPECT_THAT(lines(*filter(profile, {})), ElementsAre("1", "1"));
}

TEST(Filter, AFunctionCannotPassForAMarker) {
  TestProfile test;
  test.sample(test.thread("MainThread", 7), {"thread MainThread (7)", "f"});
  const Result<Profile> marked = filter(test.profile, {.by_thread = true});
  EXPECT_THAT(lines(*marked), ElementsAre("thread MainThread (7);thread MainThread (7);f;1"));
}

}  // namespace
}  // namespace flametap::profile
