#include "format/top_table.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace flametap::format {
namespace {

TEST(TopTable, RowsHaveTheColumnsOfTheDocumentation) {
  const std::array rows = {TopRow{.pid = 8274, .line = 362, .file = "Lib/_abcoll.py", .function = "get", .calls = 12}};
  const std::string blanks(80 - 14, ' ');
  EXPECT_EQ(write_top_rows(rows), "   PID " + std::string(72, ' ') +
                                      "FILENAME   LINE                       FUNCTION  CALLS\n  8274 " + blanks +
                                      "Lib/_abcoll.py    362                            get     12\n");
}

TEST(TopTable, AnUnknownLineIsADash) {
  const std::array rows = {TopRow{.pid = 1, .line = 0, .file = "a", .function = "b", .calls = 2}};
  EXPECT_NE(write_top_rows(rows).find("      - "), std::string::npos);
}

TEST(TopTable, AScreenIsNotWiderThanTheTerminal) {
  const std::string file = "/very/long/" + std::string(200, 'x') + "/shop.py";
  const std::array rows = {TopRow{.pid = 1, .line = 7, .file = file, .function = "handle", .calls = 2}};
  const std::string text = write_top_screen(rows, 100);
  const std::string row = text.substr(text.find('\n') + 1);
  EXPECT_NE(row.find("/shop.py"), std::string::npos);
  EXPECT_NE(row.find("…"), std::string::npos);
  EXPECT_EQ(text.find('\n'), 100U);     // the titles
  EXPECT_EQ(row.size(), 100U + 2 + 1);  // one character takes three bytes; and the end of the line
}

}  // namespace
}  // namespace flametap::format
