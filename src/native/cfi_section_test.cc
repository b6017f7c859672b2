#include "native/cfi_section.h"

#include <gtest/gtest.h>

#include <string>

#include "base/test_paths.h"
#include "target/elf_file.h"

namespace flametap::native {
namespace {

target::Symbol find_symbol(const target::ElfFile& file, const std::string& name) {
  const target::Symbols found = file.find_symbols({name});
  EXPECT_TRUE(found.contains(name)) << name;
  return found.begin()->second;
}

TEST(CfiSection, FindsWhatBelongsToAFunction) {
  const target::ElfFile file = std::move(*target::ElfFile::open(in_build("src/native/native_program_stacks")));
  const CfiSection section = CfiSection::eh_frame(file.handle());
  const target::Symbol symbol = find_symbol(file, "main");
  const std::uint64_t begin = to_number(symbol.address);
  for (const std::uint64_t offset : {std::uint64_t{0}, symbol.size - 1}) {
    const CfiSection::Found found = section.find(begin + offset);
    ASSERT_TRUE(found.function);
    EXPECT_EQ(found.function->begin, begin);
    EXPECT_EQ(found.function->end, begin + symbol.size);
    EXPECT_EQ(found.function->common->return_column, 16u);
    EXPECT_EQ(found.function->common->data_alignment, -8);
    EXPECT_FALSE(found.function->common->signal_frame);
  }
}

TEST(CfiSection, KnowsHowFarAGapReaches) {
  const target::ElfFile file = std::move(*target::ElfFile::open(in_build("src/native/native_program_stacks")));
  const CfiSection section = CfiSection::eh_frame(file.handle());
  const target::Symbol symbol = find_symbol(file, "call_without_anything");
  const std::uint64_t address = to_number(symbol.address);
  const CfiSection::Found found = section.find(address);
  EXPECT_FALSE(found.function);
  EXPECT_LE(found.begin, address);
  EXPECT_GE(found.end, address + symbol.size);
  EXPECT_FALSE(section.find(0).function);
  EXPECT_FALSE(section.find(~std::uint64_t{0} - 1).function);
}

TEST(CfiSection, AFileWithoutTheSectionKnowsNothing) {
  const target::ElfFile file = std::move(*target::ElfFile::open(in_build("src/native/native_program_stacks")));
  const CfiSection section = CfiSection::debug_frame(file.handle());
  EXPECT_EQ(section.size(), 0u);
  const CfiSection::Found found = section.find(0x1000);
  EXPECT_FALSE(found.function);
  EXPECT_EQ(found.begin, 0u);
  EXPECT_EQ(found.end, ~std::uint64_t{0});
}

// The same program, with the tables where debuggers look for them only.
TEST(CfiSection, TakesTheTablesOfDebuggersToo) {
  const target::ElfFile file = std::move(*target::ElfFile::open(in_build("src/native/native_program_debug_frame")));
  const target::Symbol symbol = find_symbol(file, "main");
  const std::uint64_t address = to_number(symbol.address);
  EXPECT_FALSE(CfiSection::eh_frame(file.handle()).find(address).function);
  const CfiSection section = CfiSection::debug_frame(file.handle());
  const CfiSection::Found found = section.find(address);
  ASSERT_TRUE(found.function);
  EXPECT_EQ(found.function->begin, address);
  EXPECT_EQ(found.function->end, address + symbol.size);
}

}  // namespace
}  // namespace flametap::native
