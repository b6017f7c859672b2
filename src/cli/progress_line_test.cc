#include "cli/progress_line.h"

#include <gtest/gtest.h>

namespace flametap::cli {
namespace {

TEST(ProgressLine, SaysHowFarItIs) {
  const sampler::Progress::Now now{.ticks = 2000, .samples = 4000, .failed = 3, .hottest = "Shop.sell"};
  EXPECT_EQ(progress_text(now, 2 * kSecond, 200), "2.0 s  4,000 samples  1000 ticks/s  3 failed  hottest: Shop.sell");
}

TEST(ProgressLine, OneSample) {
  EXPECT_EQ(progress_text({.ticks = 0, .samples = 1, .failed = 0, .hottest = ""}, 0, 200), "0.0 s  1 sample");
}

TEST(ProgressLine, BeforeTheFirstSample) { EXPECT_EQ(progress_text({}, 0, 200), "0.0 s  0 samples"); }

TEST(ProgressLine, FitsTheTerminalWithoutCuttingACharacter) {
  const sampler::Progress::Now now{.ticks = 0, .samples = 0, .failed = 0, .hottest = "日本語日本語"};
  const std::string start = "0.0 s  0 samples  hottest: ";
  EXPECT_EQ(progress_text(now, 0, start.size() + 2), start + "日本");
}

TEST(ProgressLine, ANameCannotSteerTheTerminal) {
  const sampler::Progress::Now now{.ticks = 0, .samples = 0, .failed = 0, .hottest = "a\x1b[2Jb\n"};
  EXPECT_EQ(progress_text(now, 0, 200).find_first_of("\x1b\n"), std::string::npos);
}

}  // namespace
}  // namespace flametap::cli
