#include "viewer/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "viewer/bundle.h"

namespace flametap::viewer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Page, HoldsTheViewerAndTheRecordingsInOrder) {
  const std::string text = page({.title = "a", .recordings = {{"before.ftap", "foo"}, {"after.ftap", "foobar"}}});
  EXPECT_THAT(text, StartsWith("<!doctype html>"));
  EXPECT_THAT(text, HasSubstr("<script type=\"application/x-flametap\" data-name=\"before.ftap\">Zm9v</script>\n"
                              "<script type=\"application/x-flametap\" data-name=\"after.ftap\">Zm9vYmFy</script>\n"));
  EXPECT_THAT(text, HasSubstr("<style>" + std::string(bundle().style.text) + "</style>"));
  EXPECT_THAT(text, HasSubstr("<script>" + std::string(bundle().script.text) + "</script></body></html>"));
}

TEST(Page, InAFileSaysThatItIsCutOffUntilItsScriptRuns) {
  const std::string text = page({.title = "a", .recordings = {{"a", "foobar"}}});
  const std::size_t warning =
      text.find("<div id=\"app\"><main class=\"notice cut-off\"><h1>This page is not complete</h1>");
  ASSERT_NE(warning, std::string::npos);
  EXPECT_LT(warning, text.find("<style>")) << "a page that is cut in its style sheet must say so, too";
  EXPECT_THAT(page({.title = "a", .served = true}), Not(HasSubstr("<main class=\"notice cut-off\">")));
}

TEST(Page, InAFileHasItsPolicyInItself) {
  const std::string text = page({.title = "a"});
  EXPECT_THAT(text, HasSubstr("<meta http-equiv=\"Content-Security-Policy\" content=\"" +
                              content_security_policy(false) + "\">"));
  EXPECT_EQ(text.find("<meta name=\"flametap-server\""), std::string::npos);  // the script has the word, too
  EXPECT_THAT(content_security_policy(false), Not(HasSubstr("connect-src")));
}

TEST(Page, ServedSaysSoAndHasItsPolicyInTheHeader) {
  const std::string text = page({.title = "a", .served = true});
  EXPECT_THAT(text, HasSubstr("<meta name=\"flametap-server\" content=\"" FLAMETAP_VERSION "\">"));
  EXPECT_THAT(text, Not(HasSubstr("Content-Security-Policy")));
  EXPECT_THAT(content_security_policy(true), HasSubstr("connect-src 'self'"));
}

TEST(Page, ThePolicyAllowsTheBundleAndNothingElse) {
  const std::string policy = content_security_policy(false);
  EXPECT_THAT(policy, StartsWith("default-src 'none'; "));
  EXPECT_THAT(policy, HasSubstr("script-src '" + std::string(bundle().script.hash) + "';"));
  EXPECT_THAT(policy, HasSubstr("style-src '" + std::string(bundle().style.hash) + "';"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
}

TEST(Page, NamesCannotBreakOut) {
  const std::string evil = "\"></script><script>alert('&')</script>" + std::string(1, '\0');
  const std::string text = page({.title = evil, .recordings = {{evil, ""}}});
  const std::string harmless =
      "&quot;&gt;&lt;/script&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;\xef\xbf\xbd";
  EXPECT_THAT(text, HasSubstr("<title>" + harmless + "</title>"));
  EXPECT_THAT(text, HasSubstr("data-name=\"" + harmless + "\">"));
  EXPECT_THAT(text, Not(HasSubstr("<script>alert")));
}

TEST(FirstRecording, IsTheOneThatThePageWasMadeOf) {
  const std::string bytes(
      "\x89"
      "FTAP\0\xff",
      7);
  EXPECT_EQ(first_recording(page({.title = "a", .recordings = {{"a", bytes}, {"b", "other"}}})), bytes);
  EXPECT_EQ(first_recording(page({.title = "a", .recordings = {{"\">Zm9v", bytes}}})), bytes);
  EXPECT_EQ(first_recording(page({.title = "a", .served = true})), std::nullopt);
  EXPECT_EQ(first_recording(""), std::nullopt);
}

TEST(Page, IsCutOffWithoutItsEnd) {
  const std::string text = page({.title = "a", .recordings = {{"a", "foobar"}}});
  EXPECT_FALSE(is_cut_off(text));
  EXPECT_FALSE(is_cut_off(text + "\r\n"));
  EXPECT_TRUE(is_cut_off(text.substr(0, text.size() - 2)));
  EXPECT_TRUE(is_cut_off(text.substr(0, 20)));
  EXPECT_FALSE(is_cut_off("<!doctype html>\n<p>of another program"));
}

TEST(FirstRecording, OfACutPageIsWhatIsThere) {
  const std::string text = page({.title = "a", .recordings = {{"a", "foobar"}}});
  const std::size_t at = text.find("Zm9vYmFy");
  EXPECT_EQ(first_recording(text.substr(0, at + 4)), "foo");
  EXPECT_EQ(first_recording(text.substr(0, at - 1)), "");
}

}  // namespace
}  // namespace flametap::viewer
