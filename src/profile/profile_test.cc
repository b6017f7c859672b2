#include "profile/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace flametap::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

FrameId frame(Profile& profile, std::string_view name, std::int32_t line) {
  const Function function{profile.intern(name), profile.intern("a.py"), 1, FrameKind::python};
  return profile.intern(Frame{profile.intern(function), line});
}

TEST(Profile, BeginsWithTheEmptyStack) {
  const Profile profile;
  EXPECT_EQ(profile.stack_count(), 1u);
  EXPECT_THAT(profile.frames_of(kEmptyStack), IsEmpty());
}

TEST(Profile, EqualStacksAreOneStack) {
  Profile profile;
  const FrameId f = frame(profile, "f", 3);
  const StackId once = profile.push(kEmptyStack, f);
  const StackId twice = profile.push(once, f);
  EXPECT_NE(once, kEmptyStack);
  EXPECT_NE(once, twice);
  EXPECT_EQ(profile.push(kEmptyStack, frame(profile, "f", 3)), once);
  EXPECT_NE(profile.push(kEmptyStack, frame(profile, "f", 4)), once);
  EXPECT_THAT(profile.frames_of(twice), ElementsAre(f, f));
}

TEST(Profile, SumsItsSamples) {
  Profile profile;
  const ProcessId process = profile.add(Process{7, "python a.py", "3.11.7"});
  const ThreadId thread = profile.add(Thread{process, 8, "MainThread"});
  profile.add(Sample{.time_ns = 0, .weight_ns = 10, .thread = thread, .stack = kEmptyStack, .ticks = 2, .state = 0});
  profile.add(Sample{.time_ns = 10, .weight_ns = 5, .thread = thread, .stack = kEmptyStack, .ticks = 1, .state = 0});
  EXPECT_EQ(profile.total_ticks(), 3u);
  EXPECT_EQ(profile.total_weight_ns(), 15u);
}

TEST(Profile, MovesWithItsTables) {
  Profile profile;
  const FrameId f = frame(profile, "f", 3);
  const Profile moved = std::move(profile);
  EXPECT_EQ(moved.name(f), "f");
  EXPECT_EQ(moved.file(f), "a.py");
}

TEST(Profile, FunctionsOfDifferentModulesAreDifferent) {
  Profile profile;
  EXPECT_EQ(profile.text(kEmptyText), "");
  const Function f{profile.intern("f"), profile.intern("f.c"), 1, FrameKind::native, profile.intern("a.so")};
  Function g = f;
  g.module = profile.intern("b.so");
  EXPECT_NE(profile.intern(f), profile.intern(g));
  EXPECT_EQ(profile.intern(f), profile.intern(f));
}

TEST(FrameKind, HasNames) {
  EXPECT_EQ(name(kLastFrameKind), "kernel");
  EXPECT_EQ(frame_kind_by_name("inlined"), FrameKind::inlined);
  EXPECT_EQ(frame_kind_by_name("jit"), std::nullopt);
}

TEST(Mode, HasNames) {
  EXPECT_EQ(name(Mode::gil), "gil");
  EXPECT_EQ(mode_by_name("wall"), Mode::wall);
  EXPECT_EQ(mode_by_name("Wall"), std::nullopt);
}

}  // namespace
}  // namespace flametap::profile
