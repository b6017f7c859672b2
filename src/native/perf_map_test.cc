#include "native/perf_map.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace flametap::native {
namespace {

using target::Address;

std::string name_at(const PerfMap& map, std::uint64_t address) {
  return std::string(map.find(Address{address}).value_or("(none)"));
}

TEST(PerfMap, FindsNames) {
  PerfMap map;
  EXPECT_EQ(map.add("1000 10 py::main:/a b.py\n0x2000 20 two words\n"), 45u);
  EXPECT_EQ(name_at(map, 0xfff), "(none)");
  EXPECT_EQ(name_at(map, 0x1000), "py::main:/a b.py");
  EXPECT_EQ(name_at(map, 0x100f), "py::main:/a b.py");
  EXPECT_EQ(name_at(map, 0x1010), "(none)");
  EXPECT_EQ(name_at(map, 0x201f), "two words");
}

TEST(PerfMap, TakesWholeLinesOnly) {
  PerfMap map;
  EXPECT_EQ(map.add("1000 10 one\n2000 10 tw"), 12u);
  EXPECT_EQ(name_at(map, 0x2000), "(none)");
  EXPECT_EQ(map.add("2000 10 two\n"), 12u);
  EXPECT_EQ(name_at(map, 0x2000), "two");
}

TEST(PerfMap, LaterLinesCountOverEarlierOnes) {
  PerfMap map;
  map.add("1000 100 outer\n1040 10 inner\n");
  EXPECT_EQ(name_at(map, 0x103f), "outer");
  EXPECT_EQ(name_at(map, 0x1040), "inner");
  EXPECT_EQ(name_at(map, 0x1050), "outer");
  map.add("1048 1000 later\n");
  EXPECT_EQ(name_at(map, 0x1047), "inner");
  EXPECT_EQ(name_at(map, 0x1050), "later");
  map.add("0 3000 all\n");
  EXPECT_EQ(name_at(map, 0x1047), "all");
  EXPECT_EQ(map.size(), 1u);
}

TEST(PerfMap, LeavesOutWhatMakesNoSense) {
  PerfMap map;
  map.add("\n \nabc\n1000\n1000 10\n1000 10 \n1000 0 empty\nxyz 10 name\n1000 -1 name\n-1000 10 name\n");
  map.add("ffffffffffffffff 10 wraps\n10000000000000000 10 long\n1000 10" + std::string(9000, 'x') + "\n");
  map.add("1000 10 " + std::string(kMaxPerfMapName + 1, 'x') + "\n");
  EXPECT_EQ(map.size(), 0u);
}

// Against a plain array in which each line overwrites.
TEST(PerfMap, AgreesWithAnArray) {
  std::mt19937 random(1);
  PerfMap map;
  std::vector<std::string> array(256, "(none)");
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t begin = random() % 200;
    const std::uint64_t size = 1 + random() % 50;
    const std::string name = "f" + std::to_string(i);
    char line[64];
    std::snprintf(line, sizeof line, "%x %x %s\n", static_cast<unsigned>(begin), static_cast<unsigned>(size),
                  name.c_str());
    map.add(line);
    for (std::uint64_t at = begin; at < begin + size; ++at) array[at] = name;
    for (std::uint64_t at = 0; at < array.size(); ++at) ASSERT_EQ(name_at(map, at), array[at]) << i;
  }
}

}  // namespace
}  // namespace flametap::native
