#include "format/gzip.h"

#include <gtest/gtest.h>

namespace flametap::format {
namespace {

TEST(Gzip, GivesTheSameBytesBack) {
  std::string content;
  for (int i = 0; i < 20'000; ++i) content += std::to_string(i * 7919);
  EXPECT_EQ(gunzip(gzip(content)).content, content);
  EXPECT_EQ(gunzip(gzip("")).content, "");
  EXPECT_EQ(gunzip(gzip(content)).damage, "");
  EXPECT_EQ(gzip(content), gzip(content));
}

TEST(Gunzip, TakesSeveralMembers) { EXPECT_EQ(gunzip(gzip("one ") + gzip("two")).content, "one two"); }

TEST(Gunzip, GivesWhatStandsBeforeTheDamage) {
  std::string content;
  for (int i = 0; i < 20'000; ++i) content += std::to_string(i * 7919);
  const std::string packed = gzip(content);
  const Unpacked cut = gunzip(packed.substr(0, packed.size() / 2));
  EXPECT_EQ(cut.damage, "it is cut off");
  EXPECT_GT(cut.content.size(), content.size() / 4);
  EXPECT_TRUE(content.starts_with(cut.content));
  std::string broken = packed;
  broken[0] = 'x';
  EXPECT_EQ(gunzip(broken).damage, "its compressed data is damaged");
  EXPECT_EQ(gunzip("").damage, "it is cut off");
}

}  // namespace
}  // namespace flametap::format
