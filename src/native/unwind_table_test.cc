#include "native/unwind_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/test_paths.h"
#include "target/elf_file.h"

namespace flametap::native {
namespace {

target::ElfFile open_program() {
  return std::move(*target::ElfFile::open(in_build("src/native/native_program_stacks")));
}

target::Symbol symbol_named(const target::ElfFile& file, const std::string& name) {
  const target::Symbols found = file.find_symbols({name});
  EXPECT_TRUE(found.contains(name)) << name;
  return found.begin()->second;
}

target::LinkAddress at(const target::Symbol& symbol, std::uint64_t offset = 0) {
  return target::LinkAddress{to_number(symbol.address) + offset};
}

TEST(UnwindTable, AsksOnceForARow) {
  const target::ElfFile file = open_program();
  const target::Symbol symbol = symbol_named(file, "main");
  UnwindTable table(file.handle());
  const UnwindRow* const row = table.find(at(symbol));
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(table.lookups(), 1u);
  EXPECT_EQ(table.find(at(symbol)), row);
  EXPECT_EQ(table.lookups(), 1u);
  std::size_t ranges = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (std::uint64_t i = 0; i < symbol.size; ++i) EXPECT_NE(table.find(at(symbol, i)), nullptr);
    if (pass == 0) ranges = table.ranges();
  }
  EXPECT_EQ(table.lookups(), ranges);
  EXPECT_LT(ranges, symbol.size / 2);
}

TEST(UnwindTable, RemembersWhatIsNotKnown) {
  const target::ElfFile file = open_program();
  const target::Symbol symbol = symbol_named(file, "call_without_anything");
  UnwindTable table(file.handle());
  for (int pass = 0; pass < 3; ++pass) EXPECT_EQ(table.find(at(symbol)), nullptr);
  EXPECT_EQ(table.lookups(), 1u);
}

TEST(UnwindTable, KnowsTheOutermostFunction) {
  const target::ElfFile file = open_program();
  UnwindTable table(file.handle());
  const UnwindRow* const row = table.find(at(symbol_named(file, "_start"), 4));
  ASSERT_NE(row, nullptr);
  EXPECT_TRUE(row->is_outermost());
}

// The row of an address must not depend on which addresses were asked for before.
TEST(UnwindTable, AnyOrderGivesTheSameRows) {
  const target::ElfFile file = open_program();
  const target::ElfFile::Section text = *file.section(".text");
  std::vector<std::uint64_t> addresses(text.size);
  for (std::uint64_t i = 0; i < text.size; ++i) addresses[i] = to_number(text.address) + i;
  UnwindTable rising(file.handle());
  for (const std::uint64_t address : addresses) (void)rising.find(target::LinkAddress{address});
  UnwindTable falling(file.handle());
  std::reverse(addresses.begin(), addresses.end());
  for (const std::uint64_t address : addresses) (void)falling.find(target::LinkAddress{address});
  EXPECT_EQ(falling.ranges(), rising.ranges());
  UnwindTable random(file.handle());
  std::shuffle(addresses.begin(), addresses.end(), std::mt19937(1));
  for (const std::uint64_t address : addresses) {
    const UnwindRow* const row = random.find(target::LinkAddress{address});
    for (UnwindTable* const other : {&rising, &falling}) {
      const UnwindRow* const same = other->find(target::LinkAddress{address});
      ASSERT_EQ(row == nullptr, same == nullptr) << std::hex << address;
      ASSERT_TRUE(row == nullptr || *row == *same) << std::hex << address;
    }
  }
}

}  // namespace
}  // namespace flametap::native
