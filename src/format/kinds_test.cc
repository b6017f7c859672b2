// What a frame is, Python or native, inlined or of the kernel, survives every format that is written and read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "format/byte_source.h"
#include "format/folded.h"
#include "format/ftap_reader.h"
#include "format/ftap_writer.h"
#include "format/json.h"
#include "format/pprof.h"
#include "format/read_any.h"
#include "format/speedscope.h"
#include "profile/filter.h"
#include "profile/merge.h"
#include "profile/test_profile.h"

namespace flametap::format {
namespace {

using profile::FrameKind;
using profile::Profile;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

constexpr const char* kLibrary = "/usr/lib/x86_64-linux-gnu/libz.so.1";
constexpr const char* kOtherLibrary = "/opt/My App (2)/libfast.so";

Profile with_all_kinds() {
  profile::TestProfile test;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  const profile::TestFrame main("main", "/a.py", 3);
  const profile::TestFrame inflate("inflate", FrameKind::native, kLibrary);
  const profile::TestFrame table("fast::Table<int (*)(char)>::find(int) const", FrameKind::native, kOtherLibrary);
  const profile::TestFrame call("call (fast)", FrameKind::native, kOtherLibrary, "/src/table.cc", 77);
  const profile::TestFrame copy("(anonymous namespace)::copy(int)", FrameKind::inlined, kOtherLibrary, "/src/copy.h",
                                9);
  const profile::TestFrame move("move", FrameKind::inlined, kOtherLibrary, "/src/copy.h", 20);
  const profile::TestFrame read("read", FrameKind::kernel, "[kernel]");
  test.sample(thread, {main, inflate}, 1);
  test.sample(thread, {main, inflate, read}, 2);
  test.sample(thread, {main, table, call, copy}, 3);
  test.sample(thread, {main, table, call, copy, move}, 4);
  test.sample(thread, {main, call, move, main, inflate}, 5);
  test.profile.recording.native = true;
  test.profile.recording.quality = {.ticks = 9, .unmerged = 1, .native_truncated = 2, .guessed = 3, .more = {}};
  return std::move(test.profile);
}

// One line per sample: name, file, line and kind of its frames, the root first; and their modules, if asked for.
std::vector<std::string> in_words(const Profile& profile, bool with_modules) {
  std::vector<std::string> lines;
  for (const profile::Sample& sample : profile.samples()) {
    std::string line = std::to_string(sample.ticks);
    for (const profile::FrameId id : profile.frames_of(sample.stack)) {
      const profile::Function& function = profile.function(profile.frame(id).function);
      line += "; " + std::string(profile.name(id)) + " " + std::string(profile.file(id)) + " " +
              std::to_string(profile.frame(id).line) + " " + std::string(name(function.kind));
      if (with_modules) line += " " + std::string(profile.text(function.module));
    }
    lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

Profile read_back(const Result<ReadProfile>& read) {
  EXPECT_TRUE(read.ok()) << read.error().message;
  if (!read.ok()) return {};
  EXPECT_TRUE(read->warnings.empty()) << read->warnings.front();
  return read->profile;
}

TEST(Kinds, SurviveEveryFormat) {
  const Profile profile = with_all_kinds();
  for (const std::string& text : {write_json(profile), write_speedscope(profile), write_pprof(profile)}) {
    EXPECT_THAT(in_words(read_back(read_any_text(text)), true), ElementsAreArray(in_words(profile, true)));
  }
  const std::string ftap = write_ftap(profile);
  const Profile again = read_back(read_ftap(MemorySource(std::as_bytes(std::span(ftap)))));
  EXPECT_THAT(in_words(again, true), ElementsAreArray(in_words(profile, true)));
  EXPECT_EQ(again.recording, profile.recording);
}

TEST(Kinds, SurviveFoldedWithoutTheModulesOfSources) {
  const Profile profile = with_all_kinds();
  const Profile again = read_back(read_any_text(write_folded(profile)));
  EXPECT_THAT(in_words(again, false), ElementsAreArray(in_words(profile, false)));
  EXPECT_EQ(write_folded(again), write_folded(profile));
  EXPECT_THAT(in_words(again, true)[0], HasSubstr("inflate " + std::string(kLibrary) + " 0 native " + kLibrary));
}

TEST(Kinds, EverythingInlinedIsStillAllThere) {
  profile::TestProfile test;
  const profile::TestFrame frame("f", FrameKind::inlined, kLibrary, "/src/f.h", 9);
  const profile::FrameId id = test.profile.stack(test.stack({frame})).frame;
  profile::StackId stack = profile::kEmptyStack;
  for (int i = 0; i < 5'000; ++i) stack = test.profile.push(stack, id);
  test.profile.add({0, 1, test.thread("MainThread", 7), stack, 1, 0});
  const Profile again = read_back(read_any_text(write_pprof(test.profile)));
  EXPECT_EQ(again.frames_of(again.samples().at(0).stack).size(), 5'000u);
}

TEST(Kinds, SurviveMergingAndFiltering) {
  const Profile profile = with_all_kinds();
  const Result<Profile> filtered = profile::filter(profile, {.thread = "Main"});
  ASSERT_TRUE(filtered.ok());
  EXPECT_THAT(in_words(*filtered, true), ElementsAreArray(in_words(profile, true)));
  const Profile one[] = {profile};
  const Result<Profile> merged = profile::merge(one);
  ASSERT_TRUE(merged.ok());
  EXPECT_THAT(in_words(*merged, true), ElementsAreArray(in_words(profile, true)));
}

}  // namespace
}  // namespace flametap::format
