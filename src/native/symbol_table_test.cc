#include "native/symbol_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/test_paths.h"
#include "native/symbols_testing.h"

namespace flametap::native {
namespace {

using target::LinkAddress;
using ::testing::Contains;

const std::string kPrograms = in_build("src/native/native_symbols_");

SymbolTable read(const std::string& path) {
  const target::ElfFile file = open_or_die(path);
  return SymbolTable::read(file.handle(), nullptr);
}

std::uint64_t address_of(const std::string& path, const std::string& name) {
  for (const NmSymbol& symbol : nm_functions(path)) {
    if (symbol.name == name) return symbol.address;
  }
  ADD_FAILURE() << "nm knows no " << name;
  return 0;
}

// Every byte of every function has a name that nm gives to a function there, and what no function covers has none.
void compare_with_nm(const SymbolTable& table, const std::vector<NmSymbol>& symbols) {
  std::map<std::uint64_t, std::set<std::string>> names;
  std::size_t compared = 0;
  for (const NmSymbol& symbol : symbols) names[symbol.address].insert(symbol.name);
  for (const NmSymbol& symbol : symbols) {
    for (const std::uint64_t offset : {std::uint64_t{0}, symbol.size / 2, symbol.size - 1}) {
      const auto found = table.find(LinkAddress{symbol.address + offset});
      ASSERT_TRUE(found) << symbol.name << " + " << offset;
      EXPECT_THAT(names[to_number(found->begin)], Contains(std::string(found->name))) << symbol.name;
      EXPECT_LT(symbol.address + offset - to_number(found->begin), found->size);
      ++compared;
    }
  }
  EXPECT_GT(compared, 30u);
}

TEST(SymbolTable, AgreesWithNm) {
  for (const char* const kind : {"plain", "debug", "optimized", "dwarf4"}) {
    SCOPED_TRACE(kind);
    compare_with_nm(read(kPrograms + kind), nm_functions(kPrograms + kind));
  }
}

TEST(SymbolTable, AgreesWithNmOnAStrippedLibrary) {
  const std::string library = output_of("ldconfig -p | sed -n 's/.*libstdc++.so.6 (.*=> //p' | head -n 1");
  const std::string path = library.substr(0, library.find('\n'));
  compare_with_nm(read(path), nm_functions(path, "-D"));
}

TEST(SymbolTable, EndsWhereASizedSymbolEnds) {
  const SymbolTable table = read(kPrograms + "plain");
  const std::uint64_t begin = address_of(kPrograms + "plain", "sized_function");
  const auto found = table.find(LinkAddress{begin + 2});
  ASSERT_TRUE(found);
  // A label without a size does not take part of a function that has one.
  EXPECT_EQ(*found, (SymbolTable::Found{"sized_function", LinkAddress{begin}, 3}));
  EXPECT_FALSE(table.find(LinkAddress{begin + 3}));
  EXPECT_FALSE(table.find(LinkAddress{begin + 5}));
  EXPECT_EQ(table.find(LinkAddress{begin + 6})->name, "after_a_gap");
  EXPECT_EQ(table.find(LinkAddress{begin - 1})->name, "unsized_label");
  EXPECT_EQ(*table.find(LinkAddress{begin - 4}), (SymbolTable::Found{"unsized_label", LinkAddress{begin - 4}, 4}));
}

TEST(SymbolTable, WithoutTheLocalSymbolsALabelHasNoEnd) {
  const TestFolder folder;
  output_of("strip -o '" + (folder / "stripped") + "' '" + kPrograms + "plain'");
  const std::uint64_t begin = address_of(kPrograms + "plain", "sized_function");
  const SymbolTable table = read(folder / "stripped");
  EXPECT_EQ(table.find(LinkAddress{begin})->name, "sized_function");
  EXPECT_FALSE(table.find(LinkAddress{begin - 1}));
}

TEST(SymbolTable, PrefersTheNameWithoutUnderscores) {
  const std::uint64_t address = address_of(kPrograms + "plain", "weak_name");
  EXPECT_EQ(read(kPrograms + "plain").find(LinkAddress{address})->name, "weak_name");
}

TEST(SymbolTable, NamesTheEntriesOfTheJumpTable) {
  const std::string path = kPrograms + "plain";
  const SymbolTable table = read(path);
  std::istringstream lines(output_of("objdump -d -j .plt -j .plt.got -j .plt.sec '" + path + "' 2>/dev/null"));
  std::size_t compared = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t mark = line.find("@plt>:");
    if (mark == std::string::npos) continue;
    const std::size_t open = line.find('<');
    const auto found = table.find(LinkAddress{std::stoull(line, nullptr, 16) + 3});
    ASSERT_TRUE(found) << line;
    EXPECT_EQ(found->name, line.substr(open + 1, mark + 4 - open - 1));
    ++compared;
  }
  EXPECT_GT(compared, 3u);
}

TEST(SymbolTable, ReadsTheCompressedTable) {
  const TestFolder folder;
  const std::string program = kPrograms + "plain";
  const std::string mini = folder / "mini";
  const std::string all = folder / "all";
  output_of("objcopy --only-keep-debug '" + program + "' '" + mini + "' && xz '" + mini + "'");
  output_of("strip -o '" + all + "' '" + program + "'");
  output_of("objcopy --add-section .gnu_debugdata='" + mini + ".xz' '" + all + "'");
  ASSERT_THAT(output_of("readelf -SW '" + all + "'"), ::testing::Not(::testing::HasSubstr(".symtab")));
  compare_with_nm(read(all), nm_functions(program));
}

TEST(SymbolTable, AnElfWithoutSymbolsHasNone) {
  EXPECT_EQ(SymbolTable().size(), 0u);
  EXPECT_FALSE(SymbolTable().find(LinkAddress{0}));
  EXPECT_EQ(SymbolTable::read(nullptr, nullptr).size(), 0u);
}

}  // namespace
}  // namespace flametap::native
