#include "server/thumbnail.h"

#include <gtest/gtest.h>

#include "format/read_any.h"

namespace flametap::server {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(ThumbnailTest, ShowsTheHeaviestCalls) {
  const std::string svg = thumbnail(format::read_any_text("a;b 30\na;c 10\nd 1000000\n")->profile);
  EXPECT_EQ(count(svg, "<rect"), 1U) << svg;  // the others are narrower than a pixel
  EXPECT_EQ(count(thumbnail(format::read_any_text("a;b 30\na;c 10\n")->profile), "<rect"), 3U);
}

TEST(ThumbnailTest, IsSmallWhateverTheProfile) {
  std::string folded;
  for (int i = 0; i < 3000; ++i) {
    for (int depth = 0; depth < 30; ++depth) folded.append("f").append(std::to_string(i)).append(";");
    folded += "end 1\n";
  }
  EXPECT_LT(thumbnail(format::read_any_text(folded)->profile).size(), 64U << 10);
  EXPECT_EQ(count(thumbnail(profile::Profile()), "<rect"), 0U);
}

}  // namespace
}  // namespace flametap::server
