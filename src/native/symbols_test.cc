#include "native/symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/test_paths.h"
#include "native/demangle.h"
#include "native/symbols_testing.h"

namespace flametap::native {
namespace {

using target::LinkAddress;
using ::testing::EndsWith;

const std::string kSymbolsPrograms = in_build("src/native/native_symbols_");

Symbols load_symbols(const std::string& path, const std::string& debug_folder = "/nowhere", bool lines = true) {
  return Symbols::load(open_or_die(path), path,
                       {.search = {.folder = debug_folder, .process = nullptr}, .lines = lines});
}

std::uint64_t address_in(const std::string& path, const std::string& name) {
  for (const NmSymbol& symbol : nm_functions(path)) {
    if (symbol.name == name) return symbol.address;
  }
  ADD_FAILURE() << "nm knows no " << name;
  return 0;
}

// Every other address of the program's own code.
std::vector<std::uint64_t> addresses_in(const std::string& path) {
  std::vector<std::uint64_t> addresses;
  for (const NmSymbol& symbol : nm_functions(path)) {
    if (symbol.name == "sized_function" || symbol.name == "after_a_gap") continue;  // assembly inside of a C++ file
    for (std::uint64_t offset = 0; offset < symbol.size; offset += 2) addresses.push_back(symbol.address + offset);
  }
  return addresses;
}

std::string canonical(const std::string& path) { return std::filesystem::path(path).lexically_normal().string(); }

void compare_with_llvm(Symbols& symbols, const std::string& path) {
  const std::vector<std::uint64_t> addresses = addresses_in(path);
  const auto expected = symbolize(path, addresses);
  ASSERT_EQ(expected.size(), addresses.size());
  std::size_t inlined = 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    SCOPED_TRACE(::testing::Message() << path << " 0x" << std::hex << addresses[i]);
    const std::vector<NamedFrame> frames = symbols.describe(LinkAddress{addresses[i]}, true);
    ASSERT_EQ(frames.size(), expected[i].size());
    for (std::size_t k = 0; k < frames.size(); ++k) {
      if (frames[k].line > 0) {
        EXPECT_EQ(canonical(frames[k].file), canonical(expected[i][k].file)) << k;
      }
      EXPECT_EQ(frames[k].line, expected[i][k].line) << k;
      EXPECT_EQ(frames[k].inlined, k + 1 < frames.size());
      // It does not qualify the name of a function that has no linker's name.
      if (frames[k].inlined) {
        EXPECT_THAT("::" + frames[k].name, EndsWith("::" + demangle(expected[i][k].name)));
      }
      inlined += frames[k].inlined ? 1 : 0;
    }
    const std::vector<NamedFrame> alone = symbols.describe(LinkAddress{addresses[i]}, false);
    ASSERT_EQ(alone.size(), 1u);
    EXPECT_EQ(alone.front(), frames.back());
  }
  EXPECT_GT(addresses.size(), 500u);
  EXPECT_GT(inlined, 20u);
}

TEST(Symbols, AgreeWithLlvmSymbolizer) {
  for (const char* const kind : {"debug", "optimized", "dwarf4", "compressed"}) {
    Symbols symbols = load_symbols(kSymbolsPrograms + kind);
    compare_with_llvm(symbols, kSymbolsPrograms + kind);
  }
}

TEST(Symbols, ShowInlinedFunctionsThreeDeep) {
  const std::string path = kSymbolsPrograms + "optimized";
  Symbols symbols = load_symbols(path);
  std::size_t deep = 0;
  for (const NmSymbol& symbol : nm_functions(path)) {
    for (std::uint64_t offset = 0; symbol.name == "three_deep" && offset < symbol.size; ++offset) {
      const auto frames = symbols.describe(LinkAddress{symbol.address + offset}, true);
      ASSERT_FALSE(frames.empty());
      EXPECT_EQ(frames.back().name, "three_deep");
      EXPECT_THAT(frames.back().file, EndsWith("testdata/symbols.cc"));
      EXPECT_GT(frames.back().first_line, 0);
      if (frames.size() != 4) continue;
      ++deep;
      EXPECT_EQ(frames[0].name, "(anonymous namespace)::innermost");
      EXPECT_EQ(frames[1].name, "(anonymous namespace)::middle");
      EXPECT_EQ(frames[2].name, "(anonymous namespace)::outermost");
      EXPECT_TRUE(frames[0].line == 0 || frames[0].line >= frames[0].first_line);
    }
  }
  EXPECT_GT(deep, 0u);
}

TEST(Symbols, AssemblyAmongFunctionsHasNoLines) {
  for (const char* const kind : {"debug", "optimized"}) {
    const std::string path = kSymbolsPrograms + kind;
    const auto frames = load_symbols(path).describe(LinkAddress{address_in(path, "sized_function")}, true);
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames.front().name, "sized_function");
    EXPECT_EQ(frames.front().line, 0);
  }
}

TEST(Symbols, WithoutDwarfThereAreNames) {
  const std::string path = kSymbolsPrograms + "plain";
  Symbols symbols = load_symbols(path);
  EXPECT_FALSE(symbols.has_lines());
  const auto frames = symbols.describe(LinkAddress{address_in(path, "_ZNK6shapes6Circle4areaEv")}, true);
  NamedFrame expected;
  expected.name = "shapes::Circle::area";
  expected.raw_name = "_ZNK6shapes6Circle4areaEv";
  EXPECT_THAT(frames, ::testing::ElementsAre(expected));
  EXPECT_TRUE(symbols.describe(LinkAddress{1}, true).empty());
  EXPECT_TRUE(symbols.describe(LinkAddress{UINT64_MAX}, false).empty());
}

TEST(Symbols, WithoutLinesDwarfIsNotRead) {
  const std::string path = kSymbolsPrograms + "optimized";
  Symbols symbols = load_symbols(path, "/nowhere", false);
  EXPECT_FALSE(symbols.has_lines());
  const auto frames = symbols.describe(LinkAddress{address_in(path, "three_deep")}, true);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames.front().file, "");
}

TEST(Symbols, TheVdsoIsRead) {
  std::ifstream maps("/proc/self/maps");
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  for (std::string line; std::getline(maps, line);) {
    if (!line.ends_with("[vdso]")) continue;
    begin = std::stoull(line, nullptr, 16);
    end = std::stoull(line.substr(line.find('-') + 1), nullptr, 16);
  }
  if (begin == 0) GTEST_SKIP() << "this kernel gives no vdso";
  const Bytes image(reinterpret_cast<const std::byte*>(begin), end - begin);
  const TestFolder folder;
  std::ofstream(folder / "vdso")
      .write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(image.size()));
  Symbols symbols = Symbols::from_bytes(image);
  std::size_t compared = 0;
  for (const NmSymbol& symbol : nm_functions(folder / "vdso", "-D")) {
    const auto frames = symbols.describe(LinkAddress{symbol.address}, true);
    ASSERT_EQ(frames.size(), 1u) << symbol.name;
    EXPECT_THAT(symbol.name, EndsWith(frames.front().name));  // clock_gettime is also __vdso_clock_gettime
    ++compared;
  }
  EXPECT_GT(compared, 3u);
  EXPECT_TRUE(symbols.describe(LinkAddress{UINT64_MAX}, true).empty());
}

}  // namespace
}  // namespace flametap::native
