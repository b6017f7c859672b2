// Every format's text of one small profile that has it all: threads, processes, recursion, names that are hostile to
// each format; and of one with frames of the C stack. `FLAMETAP_REWRITE_GOLDEN=1` writes what is expected anew, for the
// diff to be read by people.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/test_paths.h"
#include "format/chrome.h"
#include "format/cpuprofile.h"
#include "format/folded.h"
#include "format/json.h"
#include "format/pprof.h"
#include "format/pprof_text.h"
#include "format/read_any.h"
#include "format/speedscope.h"
#include "format/stats.h"
#include "format/svg.h"
#include "format/svg_assets.h"
#include "format/text.h"
#include "profile/filter.h"

namespace flametap::format {
namespace {

const std::string kFolder = in_source("tests/golden/");

profile::Profile profile_of(const std::string& name) {
  Result<ReadProfile> read = read_any(kFolder + name);
  EXPECT_TRUE(read.ok()) << read.error().message;
  return read.ok() ? std::move(read->profile) : profile::Profile();
}

profile::Profile golden_profile() { return profile_of("profile.json"); }
profile::Profile native_profile() { return profile_of("native.json"); }

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

void expect_golden(const std::string& name, const std::string& actual) {
  const std::string text = replaced(actual, exporter(), "flametap VERSION");
  const std::string path = kFolder + name;
  if (std::getenv("FLAMETAP_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path;
  const std::string expected{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, expected) << "FLAMETAP_REWRITE_GOLDEN=1 accepts the new text of " << name;
}

TEST(Golden, Json) { expect_golden("profile.json", write_json(golden_profile())); }

TEST(Golden, Folded) { expect_golden("expected.folded", write_folded(golden_profile())); }

TEST(Golden, FoldedByThreadWithoutLines) {
  const Result<profile::Profile> filtered = filter(golden_profile(), {.drop_lines = true, .by_thread = true});
  ASSERT_TRUE(filtered.ok());
  expect_golden("expected-by-thread.folded", write_folded(*filtered));
}

TEST(Golden, FoldedOfTheGil) {
  const Result<profile::Profile> filtered = filter(golden_profile(), {.mode = profile::Mode::gil});
  ASSERT_TRUE(filtered.ok());
  expect_golden("expected-gil.folded", write_folded(*filtered));
}

TEST(Golden, Speedscope) { expect_golden("expected.speedscope.json", write_speedscope(golden_profile())); }

TEST(Golden, Pprof) { expect_golden("expected.pprof.txt", pprof_text(write_pprof(golden_profile()))); }

TEST(Golden, Chrome) { expect_golden("expected.trace.json", write_chrome(golden_profile())); }

TEST(Golden, Cpuprofile) { expect_golden("expected.cpuprofile", write_cpuprofile(golden_profile())); }

TEST(Golden, Stats) { expect_golden("expected.stats.json", write_stats(golden_profile())); }

// Without the style and the script, which are the same in every picture.
std::string svg_of(const profile::Profile& profile) {
  const std::string svg = replaced(write_svg(profile), kSvgStyle, "STYLE\n");
  return replaced(svg, kSvgScript, "SCRIPT\n");
}

TEST(Golden, Svg) { expect_golden("expected.svg", svg_of(golden_profile())); }

TEST(Golden, FramesOfTheCStack) {
  const profile::Profile native = native_profile();
  expect_golden("native.json", write_json(native));
  expect_golden("expected-native.folded", write_folded(native));
  expect_golden("expected-native.speedscope.json", write_speedscope(native));
  expect_golden("expected-native.pprof.txt", pprof_text(write_pprof(native)));
  expect_golden("expected-native.trace.json", write_chrome(native));
  expect_golden("expected-native.cpuprofile", write_cpuprofile(native));
  expect_golden("expected-native.stats.json", write_stats(native));
  expect_golden("expected-native.svg", svg_of(native));
}

TEST(Golden, FoldedReadsBackAsItself) {
  const std::string folded = write_folded(golden_profile());
  const Result<ReadProfile> again = read_folded(folded);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(write_folded(again->profile), folded);
}

// What pprof and speedscope have room for comes back: the same stacks with the same ticks.
TEST(Golden, PprofAndSpeedscopeReadBack) {
  const profile::Profile golden = golden_profile();
  for (const std::string& text : {write_pprof(golden), write_speedscope(golden)}) {
    const Result<ReadProfile> again = read_any_text(text);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_TRUE(again->warnings.empty());
    EXPECT_EQ(again->profile.total_weight_ns(), golden.total_weight_ns());
    EXPECT_EQ(again->profile.total_ticks(), golden.total_ticks());
    EXPECT_EQ(again->profile.recording.rate_hz, golden.recording.rate_hz);
    EXPECT_EQ(again->profile.threads().size(), golden.threads().size());
    EXPECT_EQ(write_folded(again->profile), write_folded(golden));
  }
}

}  // namespace
}  // namespace flametap::format
