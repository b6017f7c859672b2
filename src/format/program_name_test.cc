#include "format/program_name.h"

#include <gtest/gtest.h>

namespace flametap::format {
namespace {

TEST(ProgramName, AfterTheScript) {
  EXPECT_EQ(program_name({"/usr/bin/python3", "/app/shop.py", "--port", "80"}), "shop");
  EXPECT_EQ(program_name({"python3.11", "-u", "-X", "dev", "-W", "error", "a.py"}), "a");
  EXPECT_EQ(program_name({"python", "manage.py", "-c", "x"}), "manage");
  EXPECT_EQ(program_name({"python", "bin/tool"}), "tool");
}

TEST(ProgramName, AfterTheModule) { EXPECT_EQ(program_name({"python", "-m", "http.server", "80"}), "http.server"); }

TEST(ProgramName, AfterTheProgram) {
  EXPECT_EQ(program_name({"/opt/uwsgi", "--ini", "a.ini"}), "uwsgi");
  EXPECT_EQ(program_name({"python3", "-c", "print(1)"}), "python3");
  EXPECT_EQ(program_name({"python3"}), "python3");
  EXPECT_EQ(program_name({"python3", "-m"}), "python3");
  EXPECT_EQ(program_name({}), "python");
}

TEST(ProgramName, IsSafeWhateverTheProcessCallsItself) {
  EXPECT_EQ(program_name({"gunicorn: worker [app]"}), "gunicorn__worker__app_");
  EXPECT_EQ(program_name({"a\nb"}), "a_b");
  EXPECT_EQ(program_name({"python", "/x/-rf.py"}), "rf");
  EXPECT_EQ(program_name({"python", "/x/..."}), "python");
  EXPECT_EQ(program_name({"/"}), "python");
  EXPECT_EQ(program_name({std::string(5000, 'a')}).size(), 60u);
}

}  // namespace
}  // namespace flametap::format
