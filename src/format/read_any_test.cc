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

TEST(ReadAny, KnowsAFormatByItsContent) {
  for (const Format format : {Format::json, Format::folded, Format::ftap}) {
    const Result<ReadProfile> read = read_any_text(write(format, small_profile()));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->profile.total_ticks(), 2u);
    EXPECT_TRUE(read->warnings.empty());
  }
}

TEST(ReadAny, SaysWhatCannotBeReadBack) {
  for (const Format format : {Format::svg, Format::pprof, Format::speedscope}) {
    const Result<ReadProfile> read = read_any_text(write(format, small_profile()));
    ASSERT_FALSE(read.ok()) << name(format);
    EXPECT_THAT(read.error().message, HasSubstr("cannot be read back")) << name(format);
    EXPECT_THAT(read.error().remedy, HasSubstr("-f json"));
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
