#include "format/read_any.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/format.h"
#include "profile/test_profile.h"

namespace flametap::format {
namespace {

using ::testing::HasSubstr;

profile::Profile small_profile() {
  profile::TestProfile test;
  test.sample(test.thread("MainThread", 7), {{"<module>", "/a.py", 3}}, 2);
  return std::move(test.profile);
}

TEST(ReadAny, KnowsJsonAndFoldedByTheirContent) {
  for (const Format format : {Format::json, Format::folded}) {
    const Result<profile::Profile> profile = read_any_text(write(format, small_profile()));
    ASSERT_TRUE(profile.ok()) << profile.error().message;
    EXPECT_EQ(profile->total_ticks(), 2u);
  }
}

TEST(ReadAny, SaysWhatCannotBeReadBack) {
  for (const Format format : {Format::svg, Format::pprof, Format::speedscope}) {
    const Result<profile::Profile> profile = read_any_text(write(format, small_profile()));
    ASSERT_FALSE(profile.ok()) << name(format);
    EXPECT_THAT(profile.error().message, HasSubstr("cannot be read back")) << name(format);
    EXPECT_THAT(profile.error().remedy, HasSubstr("-f json"));
  }
  EXPECT_EQ(read_any_text(" \n").error().message, "the file is empty");
}

TEST(ReadAny, NamesTheFile) {
  EXPECT_EQ(read_any("/no/such/file").error().message, "cannot open /no/such/file: No such file or directory");
  EXPECT_EQ(read_any("/").error().message, "cannot read /: read: Is a directory");
  EXPECT_EQ(read_any("/dev/null").error().message, "cannot read /dev/null: the file is empty");
}

}  // namespace
}  // namespace flametap::format
