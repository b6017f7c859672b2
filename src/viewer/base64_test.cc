#include "viewer/base64.h"

#include <gtest/gtest.h>

namespace flametap::viewer {
namespace {

std::string encode(std::string_view bytes) {
  std::string text;
  append_base64(bytes, text);
  return text;
}

TEST(Base64, TheExamplesOfTheStandard) {
  EXPECT_EQ(encode(""), "");
  EXPECT_EQ(encode("f"), "Zg==");
  EXPECT_EQ(encode("fo"), "Zm8=");
  EXPECT_EQ(encode("foo"), "Zm9v");
  EXPECT_EQ(encode("foob"), "Zm9vYg==");
  EXPECT_EQ(encode("fooba"), "Zm9vYmE=");
  EXPECT_EQ(encode("foobar"), "Zm9vYmFy");
}

TEST(Base64, EveryByteAndLengthComesBack) {
  std::string bytes;
  for (int i = 0; i < 600; ++i) {
    EXPECT_EQ(decode_base64(encode(bytes)), bytes);
    bytes += static_cast<char>(i * 7);
  }
}

TEST(Base64, BlanksBetweenDoNotMatter) { EXPECT_EQ(decode_base64(" Zm9v\r\n\tYmFy \n"), "foobar"); }

TEST(Base64, GivesWhatStandsBeforeDamage) {
  EXPECT_EQ(decode_base64("Zm9v*YmFy"), "foo");
  EXPECT_EQ(decode_base64("Zm9vYm"), "foob");
  EXPECT_EQ(decode_base64("Zm9vY"), "foo");
  EXPECT_EQ(decode_base64("Zm9v\xffYmFy"), "foo");
}

}  // namespace
}  // namespace flametap::viewer
