#include "server/access.h"

#include <gtest/gtest.h>

namespace flametap::server {
namespace {

const AccessRules kLocal{.hosts = {"localhost", "127.0.0.1", "[::1]", "profiles.example"}};

TEST(AccessTest, KnowsItsNamesWithAnyPort) {
  for (const char* host : {"localhost", "LocalHost:8040", "127.0.0.1:1", "[::1]", "[::1]:9", "profiles.example"})
    EXPECT_TRUE(is_our_host(kLocal, host)) << host;
}

TEST(AccessTest, KnowsNoOtherName) {
  for (const char* host : {"", ":80", "evil.example", "localhost.evil.example", "localhost:80x", "localhost:", "[::1",
                           "[::1]x", "127.0.0.1 ", "10.0.0.1", "localhost:123456"}) {
    EXPECT_FALSE(is_our_host(kLocal, host)) << host;
  }
}

TEST(AccessTest, EveryAddressIsOursWhereWeListenOnAll) {
  const AccessRules rules{.hosts = {}, .any_address = true};
  EXPECT_TRUE(is_our_host(rules, "10.0.0.1:80"));
  EXPECT_TRUE(is_our_host(rules, "[fe80::1]:80"));
  EXPECT_FALSE(is_our_host(rules, "ten.example"));
  EXPECT_FALSE(is_our_host(rules, "[evil.example]"));
}

TEST(AccessTest, TellsWhatAnotherSiteSends) {
  const auto head = [](const char* origin, const char* fetch_site) {
    return Head{.host = "localhost:8040", .origin = origin, .fetch_site = fetch_site};
  };
  EXPECT_FALSE(is_from_another_site(head("", "")));
  EXPECT_FALSE(is_from_another_site(head("http://localhost:8040", "same-origin")));
  EXPECT_FALSE(is_from_another_site(head("https://LOCALHOST:8040", "")));
  EXPECT_FALSE(is_from_another_site(head("", "none")));
  EXPECT_TRUE(is_from_another_site(head("http://localhost", "")));
  EXPECT_TRUE(is_from_another_site(head("http://evil.example", "")));
  EXPECT_TRUE(is_from_another_site(head("null", "")));
  EXPECT_TRUE(is_from_another_site(head("localhost:8040", "")));
  EXPECT_TRUE(is_from_another_site(head("", "cross-site")));
  EXPECT_TRUE(is_from_another_site(head("", "same-site")));
}

TEST(AccessTest, WantsTheWholeToken) {
  const AccessRules rules{.hosts = {}, .token = "secret"};
  const auto with = [&](const char* header) { return has_token(rules, Head{.authorization = header}); };
  EXPECT_TRUE(with("Bearer secret"));
  EXPECT_TRUE(with("bearer secret"));
  for (const char* header : {"", "Bearer", "Bearer ", "Bearer secre", "Bearer secretx", "Bearer Secret", "secret",
                             "Basic secret", "Bearer  secret"}) {
    EXPECT_FALSE(with(header)) << header;
  }
  EXPECT_TRUE(has_token(AccessRules{}, Head{}));
}

}  // namespace
}  // namespace flametap::server
