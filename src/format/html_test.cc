#include "format/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/format.h"
#include "format/ftap_writer.h"
#include "format/gzip.h"
#include "profile/test_profile.h"

namespace flametap::format {
namespace {

using ::testing::HasSubstr;

profile::Profile small_profile() {
  profile::TestProfile test;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  test.sample(thread, {{"<module>", "/a.py", 3}, {"f", "/a.py", 5}}, 2);
  test.sample(thread, {{"<module>", "/a.py", 4}}, 1, stack::kHoldsGil);
  return std::move(test.profile);
}

// Paths through a tree of calls, each with a sample of its own, so that nothing can be left out.
profile::Profile large_profile(std::size_t stacks) {
  constexpr std::size_t kFunctions = 5000;
  profile::TestProfile test;
  profile::Profile& profile = test.profile;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  std::vector<profile::FrameId> frames;
  for (std::size_t i = 0; i < 4 * kFunctions; ++i) {
    const std::string number = std::to_string(i % kFunctions);
    const profile::Function function{profile.intern("Class" + number + ".method_" + number),
                                     profile.intern("/srv/app/package/module_" + std::to_string(i % 300) + ".py"),
                                     static_cast<std::int32_t>(i % 997), profile::FrameKind::python};
    frames.push_back(profile.intern(profile::Frame{profile.intern(function), static_cast<std::int32_t>(i % 1009)}));
  }
  std::uint64_t random = 1;
  const auto next = [&](std::size_t below) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(random >> 33) % below;
  };
  while (profile.stack_count() <= stacks) {
    // Near the newest ones, as a program goes on from where it is, or anywhere.
    const std::size_t known = profile.stack_count();
    const std::size_t parent = next(10) < 7 ? known - 1 - next(std::min<std::size_t>(known, 8)) : next(known);
    const std::size_t before = known;
    const profile::StackId stack = profile.push(profile::StackId(parent), frames[next(frames.size())]);
    if (profile.stack_count() == before) continue;
    profile.add(profile::Sample{before * 1'000'000, 1'000'000, thread, stack, 1, stack::kOnCpu});
  }
  return std::move(profile);
}

TEST(Html, ReadsBackAsItWas) {
  const profile::Profile profile = small_profile();
  const std::string page = write_html(profile);
  const Result<ReadProfile> read = read_html(page);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read->warnings.empty());
  EXPECT_EQ(write_ftap(read->profile), write_ftap(profile));
}

TEST(Html, KeepsSourceFiles) {
  profile::Profile profile = small_profile();
  for (int i = 0; i < 40; ++i) {
    const profile::StringId path = profile.intern("/src/" + std::to_string(i) + ".py");
    EXPECT_EQ(profile.add_source(path, std::string(profile::kMaxSourceBytes, 'x')), i < 32) << "there is a limit";
  }
  EXPECT_FALSE(profile.add_source(profile.intern("/a.py"), std::string(profile::kMaxSourceBytes + 1, 'x')));
  const Result<ReadProfile> read = read_html(write_html(profile));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read->warnings.empty());
  EXPECT_EQ(read->profile.sources(), profile.sources());
}

TEST(Html, GivesJsonItsSourceFiles) {
  profile::Profile profile = small_profile();
  for (const char* const path : {"/src/a.py", "/src/b.py"}) {
    ASSERT_TRUE(profile.add_source(profile.intern(path), std::string(profile::kMaxSourceBytes, path[5])));
  }
  const Result<ReadProfile> read = read_html(write_html(profile));
  ASSERT_TRUE(read.ok()) << read.error().message;
  const Result<ReadProfile> again = read_any_text(write(Format::json, read->profile));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->profile.sources(), profile.sources());
}

TEST(Html, IsNamedAfterTheProgram) {
  EXPECT_EQ(recording_name(small_profile()), "a-7");
  EXPECT_EQ(recording_name(profile::Profile()), "recording");
  EXPECT_THAT(write_html(small_profile()), HasSubstr("data-name=\"a-7.ftap\""));
}

TEST(Html, OfACutPageTheSoundChunksAreRead) {
  const std::string page = write_html(large_profile(40'000));
  const Result<ReadProfile> read = read_any_text(page.substr(0, page.size() / 2));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_FALSE(read->warnings.empty());
  EXPECT_GT(read->profile.total_ticks(), 0u);
  const std::string packed = gzip(page);
  const Result<ReadProfile> unpacked = read_any_text(packed.substr(0, packed.size() / 2));
  ASSERT_TRUE(unpacked.ok()) << unpacked.error().message;
  EXPECT_GT(unpacked->profile.total_ticks(), 0u);
}

TEST(Html, ACutPageSaysSo) {
  const std::string page = write_html(small_profile());
  const std::size_t recording = page.find("<script type=");
  for (const std::size_t size : {std::size_t{40}, page.find("</style>"), recording, recording + 80}) {
    const Result<ReadProfile> read = read_any_text(page.substr(0, size));
    ASSERT_FALSE(read.ok()) << size;
    EXPECT_THAT(read.error().message, HasSubstr("the page is cut off")) << size;
    EXPECT_EQ(read.error().remedy, "get the whole file again");
  }
  const Result<ReadProfile> read = read_any_text(page.substr(0, page.size() - 20));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->warnings, std::vector<std::string>{kIsCutOff});
}

TEST(Html, APageOfSomebodyElseIsAnError) {
  const Result<ReadProfile> read = read_any_text("<!doctype html><p>hello");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "this is a page without a recording in it");
}

TEST(Html, AMillionStacksTakeLessThanFifteenMegabytes) {
  const profile::Profile profile = large_profile(1'000'000);
  ASSERT_EQ(profile.samples().size(), 1'000'000u);
  EXPECT_LT(write_html(profile).size(), 15'000'000u);
}

}  // namespace
}  // namespace flametap::format
