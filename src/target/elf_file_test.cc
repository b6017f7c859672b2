#include "target/elf_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <random>

#include "base/test_paths.h"

namespace flametap::target {
namespace {

const std::string kPrograms = in_build("src/target/target_program_");

ElfFile open_or_die(const std::string& path) {
  Result<ElfFile> file = ElfFile::open(path);
  EXPECT_TRUE(file) << file.error().message;
  return std::move(*file);
}

TEST(ElfFile, TellsTheKindOfProgram) {
  EXPECT_FALSE(open_or_die(kPrograms + "pie").has_fixed_addresses());
  EXPECT_TRUE(open_or_die(kPrograms + "fixed").has_fixed_addresses());
  EXPECT_EQ(open_or_die(kPrograms + "packed").segments().size(), 2u);
  EXPECT_EQ(open_or_die(kPrograms + "fixed").segments().size(), 4u);
}

TEST(ElfFile, HasABuildId) {
  EXPECT_EQ(open_or_die(kPrograms + "pie").build_id().size(), 20u);
  EXPECT_NE(open_or_die(kPrograms + "pie").build_id(), open_or_die(kPrograms + "fixed").build_id());
  EXPECT_TRUE(open_or_die(kPrograms + "no_build_id").build_id().empty());
}

TEST(ElfFile, FindsSymbolsInBothTables) {
  for (const char* const kind : {"pie", "fixed", "packed", "sysv_hash", "no_build_id"}) {
    const ElfFile file = open_or_die(kPrograms + kind);
    const Symbols symbols = file.find_symbols({"exported_number", "exported_zeros", "_ZL13hidden_number", "nowhere"});
    EXPECT_EQ(symbols.size(), 3u) << kind;
    EXPECT_EQ(symbols.at("exported_zeros").size, 8192u * 8) << kind;
    EXPECT_EQ(symbols.at("_ZL13hidden_number").size, 8u) << kind;
  }
  const Symbols stripped = open_or_die(kPrograms + "stripped").find_symbols({"exported_number", "_ZL13hidden_number"});
  EXPECT_EQ(stripped.size(), 1u);
  EXPECT_TRUE(stripped.contains("exported_number"));
}

TEST(ElfFile, DoesNotTakeUndefinedSymbols) {
  EXPECT_TRUE(open_or_die(kPrograms + "pie").find_symbols({"write", "pause"}).empty());
}

TEST(ElfFile, FindsSections) {
  const ElfFile file = open_or_die(kPrograms + "pie");
  const auto marker = file.section(".marker");
  ASSERT_TRUE(marker);
  EXPECT_EQ(marker->size, 8u);
  EXPECT_EQ(marker->address, file.find_symbols({"number_in_marker"}).at("number_in_marker").address);
  const auto bytes = file.section_bytes(".marker", 100);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(load<std::uint64_t>(*bytes, 0), 0x99aabbccddeeff00u);
  EXPECT_FALSE(file.section_bytes(".marker", 7));
  EXPECT_FALSE(file.section_bytes(".bss", 1 << 20));
  EXPECT_FALSE(file.section(".bss")->in_file);
  EXPECT_FALSE(file.section(".nowhere"));
}

TEST(ElfFile, RefusesWhatIsNone) {
  EXPECT_FALSE(ElfFile::open("/nowhere/at/all"));
  EXPECT_FALSE(ElfFile::open("/"));
  EXPECT_FALSE(ElfFile::open("/dev/zero"));
  EXPECT_FALSE(ElfFile::open("/proc/self/maps"));
}

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Asks everything there is to ask; whatever the answer, it must come.
void ask_everything(const std::string& bytes) {
  const Fd file(memfd_create("damaged", MFD_CLOEXEC));
  ASSERT_EQ(write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  const Result<ElfFile> elf = ElfFile::open(Fd(dup(file.get())), "damaged");
  if (!elf) return;
  (void)elf->find_symbols({"exported_number", "_ZL13hidden_number", "nowhere"});
  (void)elf->section(".marker");
  (void)elf->section_bytes(".text", 1 << 20);
}

TEST(ElfFile, SurvivesTruncatedFiles) {
  const std::string whole = read_whole(kPrograms + "fixed");
  for (std::size_t length = 0; length < whole.size(); length += 61) ask_everything(whole.substr(0, length));
}

TEST(ElfFile, SurvivesDamagedFiles) {
  const std::string whole = read_whole(kPrograms + "fixed");
  std::minstd_rand random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 8; ++i) {
      // Headers and tables are where damage matters: half of it goes into the first and the last 4 KiB.
      const std::size_t range = random() % 2 == 0 ? damaged.size() : 4096;
      const std::size_t at = random() % range;
      damaged[random() % 2 == 0 ? at : damaged.size() - 1 - at] = static_cast<char>(random());
    }
    ask_everything(damaged);
  }
}

TEST(ElfFile, SurvivesAFileThatShrinksWhileItIsOpen) {
  const std::string copy = testing::TempDir() + "shrinking_" + std::to_string(getpid());
  std::ofstream(copy, std::ios::binary) << read_whole(kPrograms + "fixed");
  const ElfFile file = open_or_die(copy);
  ASSERT_EQ(truncate(copy.c_str(), 100), 0);
  EXPECT_TRUE(file.find_symbols({"exported_number"}).empty());
  EXPECT_FALSE(file.section_bytes(".text", 1 << 20));
  unlink(copy.c_str());
}

}  // namespace
}  // namespace flametap::target
