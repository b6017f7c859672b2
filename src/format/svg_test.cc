#include "format/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "profile/test_profile.h"

namespace flametap::format {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Svg, NamesAreOnlyText) {
  profile::TestProfile test;
  test.sample(test.thread("MainThread", 7),
              {{"<script>alert('x')</script>", "/a\"><img src=x>.py", 1}, {"]]>", "/&amp;.py", 2}});
  const std::string svg = write_svg(test.profile);
  EXPECT_EQ(count_of(svg, "<script"), 1u);  // our own
  EXPECT_EQ(count_of(svg, "]]>"), 1u);
  EXPECT_THAT(svg, Not(HasSubstr("<img")));
  EXPECT_THAT(svg, HasSubstr("/&amp;amp;.py:2"));
}

TEST(Svg, AsksNobodyForAnything) {
  const std::string svg = write_svg(profile::Profile());
  EXPECT_EQ(count_of(svg, "http"), 3u);  // the names of the two name spaces, which nothing is fetched from
  EXPECT_THAT(svg, Not(HasSubstr("@import")));
  EXPECT_THAT(svg, Not(HasSubstr("url(")));
  EXPECT_THAT(svg, Not(HasSubstr("href")));
}

TEST(Svg, TheLegendHasOnlyWhatIsInThePicture) {
  profile::TestProfile test;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  test.sample(thread, {"main", {"inflate", profile::FrameKind::native, "/lib/libz.so.1"}});
  const std::string svg = write_svg(test.profile);
  EXPECT_THAT(svg, HasSubstr(">own code</text>"));
  EXPECT_THAT(svg, HasSubstr(">native</text>"));
  for (const char* word : {">library<", ">marker<", ">inlined<", ">kernel<"}) EXPECT_THAT(svg, Not(HasSubstr(word)));
  EXPECT_THAT(svg, HasSubstr(">inflate (libz.so.1)</text>"));
}

TEST(Svg, SaysWhatAFunctionWasCompiledInto) {
  profile::TestProfile test;
  test.sample(test.thread("MainThread", 7),
              {{"copy", profile::FrameKind::inlined, "/lib/libz.so.1", "/src/inflate.c", 7}});
  EXPECT_THAT(write_svg(test.profile), HasSubstr("copy\n/src/inflate.c:7 · /lib/libz.so.1 · inlined\n"));
}

TEST(Svg, SaysHowManyFramesAreTooNarrow) {
  profile::TestProfile test;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  test.sample(thread, {"wide"}, 100'000);
  EXPECT_THAT(write_svg(test.profile), Not(HasSubstr("not drawn")));
  test.sample(thread, {"narrow", "narrower"}, 1);
  const std::string svg = write_svg(test.profile);
  EXPECT_THAT(svg, HasSubstr("2 frames under 0.1 px (at a width of 1200) are not drawn."));
  EXPECT_THAT(svg, Not(HasSubstr("<title>narrow")));
}

TEST(Svg, DrawsSamplesThatHaveNoTime) {
  profile::TestProfile test;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  test.profile.add(profile::Sample{0, 0, thread, test.stack({"a"}), 3, 0});
  test.profile.add(profile::Sample{0, 0, thread, test.stack({"b"}), 1, 0});
  const std::string svg = write_svg(test.profile);
  EXPECT_THAT(svg, HasSubstr("x=\"75%\" y=\"18\" width=\"25%\""));
  EXPECT_THAT(svg, HasSubstr("75.00 % · 3 samples · self 75.00 %"));
}

TEST(Svg, ShowsSamplesWithoutFrames) {
  profile::TestProfile test;
  test.sample(test.thread("MainThread", 7), {}, 3);
  EXPECT_THAT(write_svg(test.profile), HasSubstr("(no Python frames)"));
}

}  // namespace
}  // namespace flametap::format
