#include "cli/output.h"

#include <gtest/gtest.h>

namespace flametap::cli {
namespace {

TEST(Output, DefaultNameTellsProcessAndTime) {
  std::tm time{};
  time.tm_year = 124;
  time.tm_mon = 0;
  time.tm_mday = 31;
  time.tm_hour = 23;
  time.tm_min = 5;
  time.tm_sec = 9;
  EXPECT_EQ(default_name({"python", "shop.py"}, 1234, time, ".html"), "shop-1234-20240131-230509.html");
}

TEST(Output, ChecksThePlaceBeforeTheWork) {
  EXPECT_TRUE(check_writable("-").ok());
  EXPECT_TRUE(check_writable("/dev/null").ok());
  EXPECT_FALSE(check_writable("/").ok());
  const auto absent = check_writable("/nonexistent/folder/out.svg");
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().kind, Failure::failed);
  EXPECT_NE(absent.error().message.find("/nonexistent/folder/out.svg"), std::string::npos);
}

TEST(Output, FormatByNameThenByExtension) {
  EXPECT_EQ(plan_output("/dev/null", "folded")->format, format::Format::folded);
  EXPECT_EQ(plan_output("-", "")->format, format::Format::html);
  EXPECT_EQ(plan_output("/dev/null", "").error().kind, Failure::usage);
}

TEST(Output, SaysThatAFolderIsOne) {
  for (const std::string path : {"/usr", "/usr/"}) {
    const auto planned = plan_output(path, "");
    ASSERT_FALSE(planned.ok());
    EXPECT_EQ(planned.error().kind, Failure::failed);
    EXPECT_NE(planned.error().message.find("Is a directory"), std::string::npos);
    EXPECT_EQ(planned.error().remedy, "name a file in it: /usr/NAME");
  }
}

}  // namespace
}  // namespace flametap::cli
