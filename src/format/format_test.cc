#include "format/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flametap::format {
namespace {

using ::testing::HasSubstr;

constexpr Format kAll[] = {Format::html,   Format::svg,        Format::folded, Format::speedscope, Format::pprof,
                           Format::chrome, Format::cpuprofile, Format::json,   Format::ftap};

TEST(Format, ByName) {
  EXPECT_EQ(*format_by_name("pprof"), Format::pprof);
  const Result<Format> unknown = format_by_name("png");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().kind, Failure::usage);
  EXPECT_THAT(unknown.error().message, HasSubstr("'png'"));
  EXPECT_EQ(unknown.error().remedy,
            "choose one of: html, svg, folded, speedscope, pprof, chrome, cpuprofile, json, ftap");
}

TEST(Format, ByPath) {
  EXPECT_EQ(*format_by_path("a.html"), Format::html);
  EXPECT_EQ(*format_by_path("a.svg"), Format::svg);
  EXPECT_EQ(*format_by_path("a.b/c.json"), Format::json);
  EXPECT_EQ(*format_by_path("c.speedscope.json"), Format::speedscope);
  EXPECT_EQ(*format_by_path("c.pb.gz"), Format::pprof);
  EXPECT_EQ(*format_by_path("c.trace.json"), Format::chrome);
  EXPECT_EQ(*format_by_path("c.chrome.json"), Format::chrome);
  EXPECT_EQ(*format_by_path("c.cpuprofile"), Format::cpuprofile);
  EXPECT_EQ(*format_by_path("c.txt"), Format::folded);
  EXPECT_FALSE(format_by_path("c").ok());
  EXPECT_FALSE(format_by_path("a.svg/c").ok());
}

TEST(Format, ANameWinsOverThePath) {
  EXPECT_EQ(*choose_format("json", "a.svg"), Format::json);
  EXPECT_EQ(*choose_format("", "a.folded"), Format::folded);
  EXPECT_EQ(*choose_format("", "-"), kDefaultFormat);
  EXPECT_EQ(*choose_format("", ""), kDefaultFormat);
  EXPECT_FALSE(choose_format("", "a.exe").ok());
}

TEST(Format, EveryFormatIsFoundByItsOwnNameAndExtension) {
  for (const Format format : kAll) {
    EXPECT_EQ(*format_by_name(name(format)), format);
    EXPECT_EQ(*format_by_path(std::string("x").append(extension(format))), format);
  }
}

TEST(Format, EveryWriterTakesAProfileOfNothing) {
  for (const Format format : kAll) {
    const std::string text = write(format, profile::Profile());
    EXPECT_EQ(text.empty(), format == Format::folded) << name(format);
  }
}

TEST(Format, EveryWriterTakesAnAbsurdRate) {
  profile::Profile profile;
  profile.recording.rate_hz = 1e-300;
  for (const Format format :
       {Format::html, Format::svg, Format::speedscope, Format::pprof, Format::json, Format::ftap}) {
    EXPECT_FALSE(write(format, profile).empty()) << name(format);
  }
}

TEST(ExtensionOf, PrefersOurs) {
  EXPECT_EQ(extension_of("a.speedscope.json"), ".speedscope.json");
  EXPECT_EQ(extension_of("a.b.json"), ".json");
  EXPECT_EQ(extension_of("a.tar"), ".tar");
  EXPECT_EQ(extension_of("a.b/c"), "");
  EXPECT_EQ(extension_of(".hidden"), "");
  EXPECT_EQ(extension_of("x/.hidden"), "");
}

}  // namespace
}  // namespace flametap::format
