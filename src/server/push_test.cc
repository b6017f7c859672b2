#include "server/push.h"

#include <gtest/gtest.h>

namespace flametap::server {
namespace {

TEST(ServerAddress, IsTakenApart) {
  const auto plain = parse_server_address("http://profiles.example");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->host, "profiles.example");
  EXPECT_EQ(plain->port, "80");
  EXPECT_EQ(plain->path, "");
  const auto full = parse_server_address("http://[::1]:8040/flametap//");
  ASSERT_TRUE(full.ok());
  EXPECT_EQ(full->host, "::1");
  EXPECT_EQ(full->port, "8040");
  EXPECT_EQ(full->path, "/flametap");
  EXPECT_EQ(full->authority, "[::1]:8040");
}

TEST(ServerAddress, WhatIsNone) {
  for (const char* url : {"", "a", "ftp://a", "http://", "http://:80", "http://a:", "http://a:123456", "http://a:8x",
                          "http://u@a", "http://a/?b", "http://a b", "http://a\r\nX: y"}) {
    const auto address = parse_server_address(url);
    ASSERT_FALSE(address.ok()) << url;
    EXPECT_EQ(address.error().kind, Failure::usage);
  }
  EXPECT_NE(parse_server_address("https://a").error().message.find("http only"), std::string::npos);
}

}  // namespace
}  // namespace flametap::server
