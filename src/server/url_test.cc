#include "server/url.h"

#include <gtest/gtest.h>

namespace flametap::server {
namespace {

using Words = std::vector<std::string>;

TEST(UrlTest, IsTakenApartAndDecoded) {
  const auto url = parse_url("/api/pro%66iles?search=a+b%20c&tag=%C3%BC&empty&search=second#part");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->path, (Words{"api", "profiles"}));
  EXPECT_EQ(url->parameter("search"), "a b c");
  EXPECT_EQ(url->parameter("tag"), "\u00fc");
  EXPECT_EQ(url->parameter("empty"), "");
  EXPECT_EQ(url->parameter("absent"), "");
  EXPECT_TRUE(parse_url("/")->path.empty());
  EXPECT_EQ(parse_url("/svg/")->path, Words{"svg"});
}

TEST(UrlTest, RefusesTricks) {
  for (const char* target : {"", "api", "*", "http://a/b", "//", "/a//b", "/./a", "/a/..", "/%2e%2e/a", "/%2e",
                             "/a%2fb", "/a%00", "/%", "/%4", "/%zz", "/%+4", "/1/2/3/4/5/6/7/8/9", "/?a=%"}) {
    EXPECT_FALSE(parse_url(target)) << target;
  }
  std::string many = "/?";
  for (int i = 0; i < 40; ++i) many.append("p").append(std::to_string(i)).append("=&");
  EXPECT_FALSE(parse_url(many));
}

TEST(UrlTest, NumbersAreDigitsAlone) {
  EXPECT_EQ(whole_number("18446744073709551615"), ~std::uint64_t{0});
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "0x1", "1.5", "18446744073709551616"})
    EXPECT_FALSE(whole_number(text)) << text;
}

}  // namespace
}  // namespace flametap::server
