#include "format/read_any.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/format.h"
#include "format/gzip.h"
#include "profile/test_profile.h"

namespace flametap::format {
namespace {

using ::testing::HasSubstr;

profile::Profile one_sample() {
  profile::TestProfile test;
  test.sample(test.thread("MainThread", 7), {{"<module>", "/a.py", 3}}, 2);
  return std::move(test.profile);
}

TEST(ReadAny, KnowsFormatsByTheirContent) {
  for (const Format format :
       {Format::html, Format::json, Format::folded, Format::speedscope, Format::pprof, Format::ftap}) {
    const std::string text = write(format, one_sample());
    for (const std::string& content : {text, gzip(text)}) {
      const bool is_compressed_already = format == Format::pprof || format == Format::ftap;
      if (is_compressed_already && content != text) continue;
      const Result<ReadProfile> read = read_any_text(content);
      ASSERT_TRUE(read.ok()) << name(format) << ": " << read.error().message;
      EXPECT_EQ(read->profile.total_ticks(), 2u) << name(format);
      EXPECT_TRUE(read->warnings.empty()) << name(format);
    }
  }
  EXPECT_EQ(read_any_text(gunzip(write(Format::pprof, one_sample())).content)->profile.total_ticks(), 2u);
}

TEST(ReadAny, KnowsSpeedscopeWhereverItsKeysStand) {
  const Result<ReadProfile> read = read_any_text(
      R"({"name": "x", "shared": {"frames": [{"name": "f"}]},
          "profiles": [{"type": "sampled", "unit": "none", "samples": [[0]], "weights": [3]}]})");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->profile.total_ticks(), 3u);
}

TEST(ReadAny, GivesWhatIsLeftOfACutFile) {
  std::string folded;
  for (int i = 0; i < 2000; ++i) folded += "main;f" + std::to_string(i * 7919) + " 10\n";
  const std::string packed = gzip(folded);
  const Result<ReadProfile> read = read_any_text(packed.substr(0, packed.size() / 2));
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read->warnings.size(), 1u);
  EXPECT_EQ(read->warnings[0], "the rest of the file is missing: it is cut off");
  EXPECT_GT(read->profile.total_ticks(), 1000u);
  EXPECT_EQ(read->profile.total_ticks(), 10 * read->profile.samples().size()) << "the last line was cut";
}

TEST(ReadAny, SaysWhatCannotBeReadBack) {
  for (const Format format : {Format::svg, Format::chrome, Format::cpuprofile}) {
    const Result<ReadProfile> read = read_any_text(write(format, one_sample()));
    ASSERT_FALSE(read.ok()) << name(format);
    EXPECT_THAT(read.error().message, HasSubstr("cannot be read back")) << name(format);
    EXPECT_THAT(read.error().remedy, HasSubstr("-f json"));
  }
  EXPECT_THAT(read_any_text(R"([{"name":"f","ph":"B","ts":1}])").error().message, HasSubstr("a trace for Chrome"));
  EXPECT_THAT(read_any_text("MOJ\x03").error().remedy, HasSubstr("mojo2austin"));
  EXPECT_EQ(read_any_text(" \n").error().message, "the file is empty");
}

TEST(ReadAny, NamesTheFile) {
  EXPECT_EQ(read_any("/no/such/file").error().message, "cannot open /no/such/file: No such file or directory");
  EXPECT_EQ(read_any("/").error().message, "cannot read /: read: Is a directory");
  EXPECT_EQ(read_any("/dev/null").error().message, "cannot read /dev/null: the file is empty");
}

}  // namespace
}  // namespace flametap::format
