#include "format/text.h"

#include <gtest/gtest.h>

#include "format/utf8.h"
#include "profile/test_profile.h"

namespace flametap::format {
namespace {

TEST(Clean, KeepsUtf8AndReplacesTheRest) {
  EXPECT_EQ(clean("größe λ 名 🔥"), "größe λ 名 🔥");
  EXPECT_EQ(clean("a\nb\tc\x01"
                  "d\x7f"),
            "a b c d ");
  EXPECT_EQ(clean("\xff"), "\uFFFD");
  EXPECT_EQ(clean("a\xC3"), "a\uFFFD");
  EXPECT_EQ(clean("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(clean("\xC0\xAF"), "\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(clean("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(clean("\xEF\xBF\xBF"), "\uFFFD");  // no character in XML
}

TEST(WithoutMiddle, KeepsBothEnds) {
  EXPECT_EQ(without_middle("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(without_middle("abcdefghij", 7), "ab…ghij");
  EXPECT_EQ(without_middle("größe λ 名 🔥", 11), "größe λ 名 🔥");
  EXPECT_EQ(without_middle("größe λ 名 🔥", 4), "g… 🔥");
  EXPECT_EQ(without_middle("abc", 1), "…");
  EXPECT_EQ(without_middle("abc", 0), "");
  EXPECT_EQ(without_middle(std::string(5000, 'x')).size(), kLongestName - 1 + std::string("…").size());
}

TEST(Clean, ChangesNothingTwice) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second), 'x'};
      EXPECT_EQ(clean(clean(text)), clean(text));
    }
  }
}

TEST(FrameText, SaysWhatIsKnown) {
  profile::TestProfile test;
  const auto text = [&](const profile::TestFrame& frame) {
    return frame_text(test.profile, test.profile.stack(test.stack({frame})).frame);
  };
  EXPECT_EQ(text({"f", "/a.py", 3}), "f (/a.py:3)");
  EXPECT_EQ(text({"f", "/a.py", 0}), "f (/a.py)");
  EXPECT_EQ(text({"(truncated)", "", 0}), "(truncated)");
}

TEST(Numbers, AreForPeople) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(human_time(0), "0 ns");
  EXPECT_EQ(human_time(1'500), "1.5 µs");
  EXPECT_EQ(human_time(45'600'000), "45.6 ms");
  EXPECT_EQ(human_time(123'400'000'000), "123 s");
  EXPECT_EQ(human_share(0.12345), "12.35 %");
}

TEST(QualityText, NamesEveryLoss) {
  profile::TestProfile test;
  test.sample(test.thread("MainThread", 7), {"f"}, 1234);
  EXPECT_EQ(quality_text(test.profile), "1,234 samples") << "nobody counted the losses";
  test.profile.recording.quality.ticks = 1234;
  EXPECT_EQ(quality_text(test.profile), "1,234 samples · 0 missed · 0 torn");
  test.profile.recording.quality.unreadable = 2;
  test.profile.recording.quality.truncated = 3;
  test.profile.recording.quality.torn = 4;
  EXPECT_EQ(quality_text(test.profile), "1,234 samples · 0 missed · 4 torn · 2 unreadable · 3 truncated");
}

}  // namespace
}  // namespace flametap::format
