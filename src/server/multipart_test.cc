#include "server/multipart.h"

#include <gtest/gtest.h>

namespace flametap::server {
namespace {

constexpr std::string_view kType = "multipart/form-data; boundary=X";

std::string part(const std::string& header, const std::string& content) {
  return "--X\r\n" + header + "\r\n\r\n" + content + "\r\n";
}

std::string named(const std::string& parameters, const std::string& content) {
  return part("Content-Disposition: form-data; " + parameters, content);
}

TEST(MultipartTest, GivesTheFieldsWithTheirContents) {
  const std::string body = named("name=\"file\"; filename=\"a \\\"b\\\".txt\"", "one\r\n--Y\r\n two") +
                           part("content-type: text/plain\r\nCONTENT-DISPOSITION: Form-Data; name=note", "") +
                           "--X--\r\n";
  const auto parts = parse_form(kType, body);
  ASSERT_TRUE(parts.ok()) << parts.error().message;
  ASSERT_EQ(parts->size(), 2U);
  EXPECT_EQ((*parts)[0].name, "file");
  EXPECT_EQ((*parts)[0].file_name, "a \"b\".txt");
  EXPECT_EQ((*parts)[0].content, "one\r\n--Y\r\n two");
  EXPECT_EQ(find_part(*parts, "note")->content, "");
  EXPECT_EQ(find_part(*parts, "absent"), nullptr);
}

TEST(MultipartTest, TakesABoundaryInQuotes) {
  EXPECT_TRUE(parse_form("Multipart/Form-Data; charset=utf-8; boundary=\"a+b\"", "--a+b--").ok());
}

TEST(MultipartTest, RefusesWhatIsNoForm) {
  const std::string sound = named("name=a", "x") + "--X--";
  ASSERT_TRUE(parse_form(kType, sound).ok());
  for (const char* type :
       {"", "text/plain", "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"X",
        "multipart/form-data; boundary=X; boundary=Y", "multipart/form-data boundary=X"}) {
    EXPECT_FALSE(parse_form(type, sound).ok()) << type;
  }
  EXPECT_FALSE(parse_form("multipart/form-data; boundary=" + std::string(71, 'X'), sound).ok());
}

TEST(MultipartTest, RefusesWhatIsCutOff) {
  const std::string sound = named("name=\"a\"", "x") + "--X--";
  for (std::size_t length = 0; length < sound.size(); ++length)
    EXPECT_FALSE(parse_form(kType, std::string_view(sound).substr(0, length)).ok()) << length;
}

TEST(MultipartTest, RefusesPartsThatAreBroken) {
  for (const std::string& body :
       {part("", "x"), part("X-Other: y", "x"), part("Content-Disposition: attachment; name=a", "x"),
        named("filename=a", "x"), named("name=", "x"), named("name=a; name=b", "x"), part("no colon", "x"),
        named("name=a\r\nContent-Disposition: form-data; name=b", "x"), named("name=\"a", "x"),
        part("X: " + std::string(9000, 'x') + "\r\nContent-Disposition: form-data; name=a", "x")}) {
    EXPECT_FALSE(parse_form(kType, body + "--X--").ok()) << body;
  }
}

TEST(MultipartTest, BoundsTheNumberOfParts) {
  std::string body;
  for (int i = 0; i < 16; ++i) body += named("name=a", "x");
  EXPECT_TRUE(parse_form(kType, body + "--X--").ok());
  EXPECT_FALSE(parse_form(kType, body + named("name=a", "x") + "--X--").ok());
}

}  // namespace
}  // namespace flametap::server
