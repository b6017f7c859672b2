#include "native/debug_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/test_paths.h"
#include "native/symbols.h"
#include "native/symbols_testing.h"

namespace flametap::native {
namespace {

const std::string kProgram = in_build("src/native/native_symbols_optimized");
const std::string kOther = in_build("src/native/native_symbols_dwarf4");

std::string in_quotes(const std::string& path) { return "'" + path + "'"; }

std::string build_id_path(const std::string& program) {
  std::string id;
  const target::ElfFile file = open_or_die(program);
  for (const std::byte byte : file.build_id()) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", std::to_integer<unsigned>(byte));
    id += digits;
  }
  return "/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug";
}

// A program without its symbols, and a folder for debug files.
class DebugFile : public ::testing::Test {
 protected:
  DebugFile() {
    std::filesystem::create_directories(bin_);
    output_of("strip -o " + in_quotes(program_) + " " + in_quotes(kProgram));
  }

  static void extract(const std::string& from, const std::string& to) {
    std::filesystem::create_directories(std::filesystem::path(to).parent_path());
    output_of("objcopy --only-keep-debug " + in_quotes(from) + " " + in_quotes(to));
  }

  void link_to(const std::string& debug_file, const std::string& options = "") const {
    output_of("objcopy " + options + " --add-gnu-debuglink=" + in_quotes(debug_file) + " " + in_quotes(program_));
  }

  [[nodiscard]] bool is_found() const {
    const DebugSearch search{.folder = debug_, .process = nullptr};
    return find_debug_file(open_or_die(program_), program_, search).has_value();
  }

  TestFolder folder_;
  std::string bin_ = folder_ / "bin";
  std::string program_ = bin_ + "/program";
  std::string debug_ = folder_ / "debug";
};

TEST_F(DebugFile, IsFoundByBuildId) {
  EXPECT_FALSE(is_found());
  extract(kProgram, debug_ + build_id_path(program_));
  EXPECT_TRUE(is_found());
}

TEST_F(DebugFile, OfAnotherBuildIsNotTaken) {
  extract(kOther, debug_ + build_id_path(program_));
  EXPECT_FALSE(is_found());
  std::ofstream(debug_ + build_id_path(program_)) << "not an ELF file";
  EXPECT_FALSE(is_found());
}

TEST_F(DebugFile, IsFoundByItsLinkBesideTheProgram) {
  extract(kProgram, bin_ + "/program.debug");
  link_to(bin_ + "/program.debug");
  EXPECT_TRUE(is_found());
  std::filesystem::create_directories(bin_ + "/.debug");
  std::filesystem::rename(bin_ + "/program.debug", bin_ + "/.debug/program.debug");
  EXPECT_TRUE(is_found());
  const std::string mirror = debug_ + bin_;
  std::filesystem::create_directories(mirror);
  std::filesystem::rename(bin_ + "/.debug/program.debug", mirror + "/program.debug");
  EXPECT_TRUE(is_found());
}

TEST_F(DebugFile, ThatWasReplacedIsNotTaken) {
  extract(kProgram, bin_ + "/program.debug");
  link_to(bin_ + "/program.debug");
  extract(kOther, bin_ + "/program.debug");
  EXPECT_FALSE(is_found());
}

TEST_F(DebugFile, WithoutBuildIdTheChecksumDecides) {
  const std::string debug_file = bin_ + "/program.debug";
  extract(kProgram, debug_file);
  output_of("objcopy --remove-section .note.gnu.build-id " + in_quotes(debug_file));
  link_to(debug_file, "--remove-section .note.gnu.build-id");
  EXPECT_TRUE(is_found());
  std::ofstream(debug_file, std::ios::app) << "one more line";
  EXPECT_FALSE(is_found());
}

TEST_F(DebugFile, GivesNamesAndLines) {
  extract(kProgram, debug_ + build_id_path(program_));
  Symbols with = Symbols::load(open_or_die(kProgram), kProgram, {});
  Symbols separate = Symbols::load(open_or_die(program_), program_, {.search = {.folder = debug_, .process = nullptr}});
  EXPECT_TRUE(separate.has_lines());
  for (const NmSymbol& symbol : nm_functions(kProgram)) {
    for (std::uint64_t offset = 0; offset < symbol.size; offset += 3) {
      const target::LinkAddress address{symbol.address + offset};
      EXPECT_EQ(separate.describe(address, true), with.describe(address, true));
    }
  }
}

// dwz moves what two programs have in common into a third file.
TEST_F(DebugFile, SharesDwarfWithAnother) {
  const std::string one = folder_ / "one";
  const std::string two = folder_ / "two";
  const std::string common = folder_ / "common";
  std::filesystem::copy_file(kOther, one);
  std::filesystem::copy_file(kOther, two);
  output_of("dwz -m " + in_quotes(common) + " " + in_quotes(one) + " " + in_quotes(two));
  ASSERT_TRUE(needs_shared_dwarf(open_or_die(one).handle()));
  Symbols whole = Symbols::load(open_or_die(kOther), kOther, {});
  Symbols sharing = Symbols::load(open_or_die(one), one, {.search = {.folder = debug_, .process = nullptr}});
  EXPECT_TRUE(sharing.has_lines());
  for (const NmSymbol& symbol : nm_functions(kOther)) {
    for (std::uint64_t offset = 0; offset < symbol.size; offset += 3) {
      const target::LinkAddress address{symbol.address + offset};
      EXPECT_EQ(sharing.describe(address, true), whole.describe(address, true)) << symbol.name;
    }
  }
  std::filesystem::copy_file(kOther, common, std::filesystem::copy_options::overwrite_existing);
  EXPECT_FALSE(Symbols::load(open_or_die(one), one, {}).has_lines());
}

TEST(DebugLink, IsANameAndAChecksum) {
  const auto parse = [](std::string text) { return parse_debug_link(std::as_bytes(std::span(text))); };
  using namespace std::string_literals;
  EXPECT_EQ(parse("a.debug\0\1\2\3\4"s), (DebugLink{"a.debug", 0x04030201}));
  EXPECT_EQ(parse("ab.debug\0\0\0\0\1\0\0\0"s), (DebugLink{"ab.debug", 1}));
  EXPECT_FALSE(parse("a.debug\0\1\2\3"s));
  EXPECT_FALSE(parse("a.debug"s));
  EXPECT_FALSE(parse("../debug\0\0\0\0\1\0\0\0"s));
  EXPECT_FALSE(parse("..\0\0\1\0\0\0"s));
  EXPECT_FALSE(parse(""s));
}

}  // namespace
}  // namespace flametap::native
