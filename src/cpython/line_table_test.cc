#include "cpython/line_table.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <vector>

namespace flametap::cpython {
namespace {

constexpr LineTableKind kAllKinds[] = {LineTableKind::lnotab_unsigned, LineTableKind::lnotab_signed,
                                       LineTableKind::ranges, LineTableKind::locations};

class Table {
 public:
  Table(LineTableKind kind, std::initializer_list<int> bytes) : kind_(kind) {
    for (const int byte : bytes) bytes_.push_back(static_cast<std::byte>(byte));
  }

  // Both ways of asking must agree; -1: no line.
  [[nodiscard]] std::int32_t line(std::int32_t instruction, std::int32_t first_line = 100) const {
    const auto line = line_of(kind_, bytes_, first_line, instruction);
    EXPECT_EQ(LineMap(kind_, bytes_, first_line).line_at(instruction), line) << "at " << instruction;
    return line.value_or(-1);
  }

 private:
  LineTableKind kind_;
  std::vector<std::byte> bytes_;
};

TEST(LineTable, LnotabChangesTheLineBehindEachStep) {
  const Table table(LineTableKind::lnotab_signed, {0, 1, 6, 2, 4, 0xff});
  EXPECT_EQ(table.line(-1), 100);
  EXPECT_EQ(table.line(0), 101);
  EXPECT_EQ(table.line(5), 101);
  EXPECT_EQ(table.line(6), 103);
  EXPECT_EQ(table.line(9), 103);
  EXPECT_EQ(table.line(10), 102);
  EXPECT_EQ(table.line(1'000'000), 102) << "the last line has no end";
  EXPECT_EQ(table.line(std::numeric_limits<std::int32_t>::max()), 102);
}

TEST(LineTable, LnotabOf27StepsForwardOnly) {
  EXPECT_EQ(Table(LineTableKind::lnotab_unsigned, {4, 0xff}).line(4), 355);
  EXPECT_EQ(Table(LineTableKind::lnotab_signed, {4, 0xff}).line(4), 99);
}

TEST(LineTable, EmptyLnotabIsAllFirstLine) {
  EXPECT_EQ(Table(LineTableKind::lnotab_signed, {}).line(0), 100);
  EXPECT_EQ(Table(LineTableKind::lnotab_signed, {}).line(50), 100);
}

TEST(LineTable, RangesHaveGapsAndAnEnd) {
  const Table table(LineTableKind::ranges, {4, 1, 2, 0x80, 0, 5, 6, 0xfe});
  EXPECT_EQ(table.line(-2), 100);
  EXPECT_EQ(table.line(0), 101);
  EXPECT_EQ(table.line(4), -1) << "no line";
  EXPECT_EQ(table.line(6), 104);
  EXPECT_EQ(table.line(10), 104);
  EXPECT_EQ(table.line(12), -1) << "behind the end";
}

TEST(LineTable, LocationsOfEveryForm) {
  const auto entry = [](int code, int units) { return 0x80 | code << 3 | (units - 1); };
  const Table table(LineTableKind::locations, {
                                                  entry(0, 1),  0x11,             // short form: same line, columns
                                                  entry(9, 2),  0x22,             //
                                                  entry(10, 1), 1,    2,          // one line form: + 0
                                                  entry(11, 1), 1,    2,          // + 1
                                                  entry(12, 1), 1,    2,          // + 2
                                                  entry(15, 1),                   // no location
                                                  entry(13, 1), 0x07,             // no columns: - 3
                                                  entry(14, 8), 0x48, 1, 1, 2, 3  // long: + (8 | 1 << 6) / 2 = 36
                                              });
  EXPECT_EQ(table.line(-2), 100);
  EXPECT_EQ(table.line(0), 100);
  EXPECT_EQ(table.line(2), 100);
  EXPECT_EQ(table.line(4), 100);
  EXPECT_EQ(table.line(6), 100);
  EXPECT_EQ(table.line(8), 101);
  EXPECT_EQ(table.line(10), 103);
  EXPECT_EQ(table.line(12), -1) << "no location";
  EXPECT_EQ(table.line(14), 100);
  EXPECT_EQ(table.line(16), 136);
  EXPECT_EQ(table.line(31), 136);
  EXPECT_EQ(table.line(32), -1) << "behind the end";
}

TEST(LineTable, LocationsStopAtABrokenNumber) {
  const Table unended(LineTableKind::locations, {0x80, 0, 0xe8, 0x41, 0x41});
  EXPECT_EQ(unended.line(0), 100);
  EXPECT_EQ(unended.line(2), -1);
  const Table interrupted(LineTableKind::locations, {0xe8, 0x41, 0x80, 0});
  EXPECT_EQ(interrupted.line(0), -1);
  const Table overlong(LineTableKind::locations, {0xe8, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x00});
  EXPECT_EQ(overlong.line(0), -1);
}

TEST(LineTable, LinesBelowZeroOrTooHighAreNone) {
  EXPECT_EQ(Table(LineTableKind::lnotab_signed, {2, 0x80, 2, 0x80, 2, 1}).line(4), -1);
  EXPECT_EQ(Table(LineTableKind::ranges, {2, 1}).line(0, std::numeric_limits<std::int32_t>::max()), -1);
  EXPECT_EQ(Table(LineTableKind::locations, {0xe8, 0x7e, 0x7f, 0x7f, 0x7f, 0x7f, 0x3f}).line(0), -1);
  for (const LineTableKind kind : kAllKinds) EXPECT_EQ(Table(kind, {}).line(-1, -5), -1);
}

TEST(LineTable, AnEmptyMapKnowsNoLine) { EXPECT_EQ(LineMap().line_at(0), std::nullopt); }

TEST(LineTable, AnyBytesGiveTheSameAnswerBothWays) {
  std::uint32_t state = 1;
  const auto random = [&] { return (state = state * 1664525 + 1013904223) >> 24; };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::byte> bytes(random() % 40);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    for (const LineTableKind kind : kAllKinds) {
      const LineMap map(kind, bytes, 7);
      for (std::int32_t at = -3; at < 300; ++at) ASSERT_EQ(map.line_at(at), line_of(kind, bytes, 7, at));
    }
  }
}

}  // namespace
}  // namespace flametap::cpython
