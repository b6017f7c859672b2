#include "target/elf_image.h"

#include <gtest/gtest.h>

#include <random>

#include "base/test_paths.h"
#include "target/elf_file.h"
#include "target/fake_memory.h"
#include "target/process.h"
#include "target/process_memory.h"
#include "target/test_child.h"

namespace flametap::target {
namespace {

const std::string kElfPrograms = in_build("src/target/target_program_");

// The first mapping of the program that a child runs.
Address header_of(pid_t pid) {
  const Result<Process> process = Process::open(pid);
  const std::string exe = *process->exe_path();
  const Result<Maps> maps = process->maps();
  for (const Mapping& mapping : *maps) {
    if (mapping.path == exe) return mapping.begin;
  }
  return kNull;
}

TEST(ElfImage, AgreesWithTheFileOnEveryKindOfProgram) {
  for (const char* const kind : {"pie", "fixed", "packed", "sysv_hash", "stripped", "no_build_id"}) {
    const TestChild child = TestChild::exec({kElfPrograms + kind});
    ProcessMemory memory(child.pid());
    const Result<ElfImage> image = ElfImage::open(memory, header_of(child.pid()));
    ASSERT_TRUE(image) << kind << image.error().message;
    const Result<ElfFile> file = ElfFile::open(kElfPrograms + kind);
    ASSERT_TRUE(file);
    EXPECT_EQ(image->read_build_id(), file->build_id()) << kind;
    EXPECT_EQ(image->segments().size(), file->segments().size()) << kind;
    const std::vector<std::string_view> names{"exported_number", "exported_zeros", "nowhere", "write", ""};
    const Symbols symbols = image->find_symbols(names);
    EXPECT_EQ(symbols.size(), 2u) << kind;
    EXPECT_EQ(symbols.at("exported_zeros").address, file->find_symbols(names).at("exported_zeros").address);
    std::uint64_t number = 0;
    EXPECT_EQ(memory.read_value(image->bias() + symbols.at("exported_number").address, number), ReadStatus::ok);
    EXPECT_EQ(number, 0x1122334455667788u) << kind;
    if (file->has_fixed_addresses()) {
      EXPECT_EQ(image->bias(), Bias{0});
    }
  }
}

TEST(ElfImage, ReadsTheVdso) {
  const TestChild child = TestChild::exec({kElfPrograms + "pie"});
  ProcessMemory memory(child.pid());
  const Result<Maps> maps = read_maps(child.pid());
  for (const Mapping& mapping : *maps) {
    if (mapping.path != "[vdso]") continue;
    const Result<ElfImage> image = ElfImage::open(memory, mapping.begin);
    ASSERT_TRUE(image);
    EXPECT_TRUE(image->find_symbols({"__vdso_clock_gettime"}).contains("__vdso_clock_gettime"));
    return;
  }
  GTEST_SKIP() << "this kernel gives no vdso";
}

// A child's program, copied out of its memory, to be damaged.
class CopiedProgram {
 public:
  explicit CopiedProgram(const std::string& kind) {
    const TestChild child = TestChild::exec({kElfPrograms + kind});
    header_ = header_of(child.pid());
    ProcessMemory source(child.pid());
    const Result<Maps> maps = read_maps(child.pid());
    for (const Mapping& mapping : *maps) {
      if (mapping.path != kElfPrograms + kind) continue;
      pages_.push_back({mapping.begin, std::vector<std::byte>(mapping.size())});
      EXPECT_EQ(source.read(mapping.begin, pages_.back().bytes), ReadStatus::ok);
    }
    restore();
  }

  void restore() {
    for (const Pages& pages : pages_) memory_.map(pages.begin, pages.bytes);
  }
  void damage(std::minstd_rand& random) {
    const Pages& pages = pages_[random() % pages_.size()];
    memory_.put(pages.begin + random() % pages.bytes.size(), static_cast<std::uint8_t>(random()));
  }
  [[nodiscard]] FakeMemory& memory() { return memory_; }
  [[nodiscard]] Address header() const { return header_; }

 private:
  struct Pages {
    Address begin;
    std::vector<std::byte> bytes;
  };
  FakeMemory memory_;
  std::vector<Pages> pages_;
  Address header_{};
};

TEST(ElfImage, SurvivesDamageAndReadsLittle) {
  for (const char* const kind : {"packed", "sysv_hash"}) {
    CopiedProgram program(kind);
    std::minstd_rand random(3);
    for (int round = 0; round < 1000; ++round) {
      program.restore();
      program.memory().reset_counts();
      for (int i = 0; i < 40; ++i) program.damage(random);
      const Result<ElfImage> image = ElfImage::open(program.memory(), program.header());
      if (!image) continue;
      (void)image->read_build_id();
      (void)image->find_symbols({"exported_number", "nowhere"});
      ASSERT_LT(program.memory().calls().size(), 50'000u);
    }
  }
}

TEST(ElfImage, OneReadOpensItAndAFewFindASymbol) {
  CopiedProgram program("fixed");
  const Result<ElfImage> image = ElfImage::open(program.memory(), program.header());
  ASSERT_TRUE(image);
  EXPECT_EQ(program.memory().calls().size(), 1u);
  EXPECT_EQ(image->find_symbols({"exported_number"}).size(), 1u);
  // One read for each table, and one for each entry of the name's bucket, whose order the linker chooses: of the 18
  // symbols of this program at most 8 share one.
  constexpr std::size_t kTables = 6;
  constexpr std::size_t kLongestBucket = 8;
  EXPECT_LE(program.memory().calls().size(), kTables + kLongestBucket);
}

TEST(ElfImage, RefusesWhatIsNoImage) {
  FakeMemory memory;
  EXPECT_FALSE(ElfImage::open(memory, Address{0x1000}));
  memory.map(Address{0x1000}, 4096);
  EXPECT_FALSE(ElfImage::open(memory, Address{0x1000}));
}

}  // namespace
}  // namespace flametap::target
