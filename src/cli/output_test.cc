#include "cli/output.h"

#include <gtest/gtest.h>

namespace flametap::cli {
namespace {

TEST(Output, NamedAfterTheScript) {
  EXPECT_EQ(short_name({"/usr/bin/python3", "/app/shop.py", "--port", "80"}), "shop");
  EXPECT_EQ(short_name({"python3.11", "-u", "-X", "dev", "-W", "error", "a.py"}), "a");
  EXPECT_EQ(short_name({"python", "manage.py", "-c", "x"}), "manage");
  EXPECT_EQ(short_name({"python", "bin/tool"}), "tool");
}

TEST(Output, NamedAfterTheModule) { EXPECT_EQ(short_name({"python", "-m", "http.server", "80"}), "http.server"); }

TEST(Output, NamedAfterTheProgram) {
  EXPECT_EQ(short_name({"/opt/uwsgi", "--ini", "a.ini"}), "uwsgi");
  EXPECT_EQ(short_name({"python3", "-c", "print(1)"}), "python3");
  EXPECT_EQ(short_name({"python3"}), "python3");
  EXPECT_EQ(short_name({"python3", "-m"}), "python3");
  EXPECT_EQ(short_name({}), "python");
}

TEST(Output, NameIsSafeWhateverTheProcessCallsItself) {
  EXPECT_EQ(short_name({"gunicorn: worker [app]"}), "gunicorn__worker__app_");
  EXPECT_EQ(short_name({"a\nb"}), "a_b");
  EXPECT_EQ(short_name({"python", "/x/-rf.py"}), "rf");
  EXPECT_EQ(short_name({"python", "/x/..."}), "python");
  EXPECT_EQ(short_name({"/"}), "python");
  EXPECT_EQ(short_name({std::string(5000, 'a')}).size(), 60u);
}

TEST(Output, DefaultNameTellsProcessAndTime) {
  std::tm time{};
  time.tm_year = 124;
  time.tm_mon = 0;
  time.tm_mday = 31;
  time.tm_hour = 23;
  time.tm_min = 5;
  time.tm_sec = 9;
  EXPECT_EQ(default_name({"python", "shop.py"}, 1234, time, ".svg"), "shop-1234-20240131-230509.svg");
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
  EXPECT_EQ(plan_output("-", "")->format, format::Format::svg);
  EXPECT_EQ(plan_output("/dev/null", "").error().kind, Failure::usage);
}

}  // namespace
}  // namespace flametap::cli
