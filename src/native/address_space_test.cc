#include "native/address_space.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>

#include "target/process_memory.h"

namespace flametap::native {
namespace {

using Kind = AddressSpace::Place::Kind;

target::Address address_of(const void* pointer) { return target::Address{reinterpret_cast<std::uintptr_t>(pointer)}; }

// How often this process has called read().
std::uint64_t read_calls() {
  std::ifstream file("/proc/self/io");
  std::string name;
  std::uint64_t value = 0;
  while (file >> name >> value && name != "syscr:") continue;
  return value;
}

// This very process.
class OwnSpace : public testing::Test {
 protected:
  target::Process process_ = std::move(*target::Process::open(getpid()));
  target::ProcessMemory memory_{getpid()};
  BinaryCache binaries_;
  AddressSpace space_ = std::move(*AddressSpace::open(process_, memory_, binaries_));
};

TEST_F(OwnSpace, FindsTheBinaryOfAFunction) {
  const AddressSpace::Place place = space_.find(address_of(reinterpret_cast<const void*>(&getpid)));
  ASSERT_EQ(place.kind, Kind::binary);
  ASSERT_NE(place.binary, nullptr);
  EXPECT_NE(place.binary->path().find("libc"), std::string::npos);
  EXPECT_NE(place.binary->file(), nullptr);
  EXPECT_NE(place.binary->rows().find(place.address), nullptr);
  const target::Symbols symbols = place.binary->file()->find_symbols({"getpid"});
  EXPECT_EQ(symbols.at("getpid").address, place.address);
}

TEST_F(OwnSpace, DataIsNoCode) {
  static int variable = 0;
  EXPECT_EQ(space_.find(address_of(&variable)).kind, Kind::nothing);
  EXPECT_EQ(space_.find(target::kNull).kind, Kind::nothing);
  EXPECT_EQ(space_.find(target::Address{~std::uint64_t{0}}).kind, Kind::nothing);
}

TEST_F(OwnSpace, NoticesNewCodeAndItsEnd) {
  const std::uint64_t before = space_.generation();
  EXPECT_FALSE(space_.refresh());
  EXPECT_EQ(space_.generation(), before);
  const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const page = mmap(nullptr, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  EXPECT_TRUE(space_.refresh());
  EXPECT_NE(space_.generation(), before);
  EXPECT_EQ(space_.find(address_of(page)).kind, Kind::anonymous);
  munmap(page, size);
  EXPECT_TRUE(space_.refresh());
  EXPECT_EQ(space_.find(address_of(page)).kind, Kind::nothing);
}

TEST_F(OwnSpace, FindsNewCodeSoon) {
  std::this_thread::sleep_for(std::chrono::nanoseconds{AddressSpace::kMinInterval});
  const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const page = mmap(nullptr, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  EXPECT_EQ(space_.find(address_of(page)).kind, Kind::anonymous);
  munmap(page, size);
}

TEST_F(OwnSpace, DoesNotReadTheMapForEveryAddressThatIsNone) {
  const std::uint64_t before = read_calls();
  for (int i = 0; i < 100'000; ++i) EXPECT_EQ(space_.find(target::kNull).kind, Kind::nothing);
  EXPECT_LT(read_calls() - before, 50'000u);
}

TEST_F(OwnSpace, KnowsWhereAStackEnds) {
  int variable = 0;
  const target::Address end = space_.stack_end(address_of(&variable));
  EXPECT_GT(end, address_of(&variable));
  EXPECT_EQ(space_.maps().find(address_of(&variable))->end, end);
  EXPECT_EQ(space_.stack_end(target::kNull), target::kNull);
}

TEST_F(OwnSpace, TheMainStackMayHaveGrownSinceTheLastReading) {
  for (const target::Mapping& mapping : space_.maps()) {
    if (mapping.path == "[stack]") {
      EXPECT_EQ(space_.stack_end(mapping.begin + (0 - std::uint64_t{4096})), mapping.end);
    }
  }
}

TEST_F(OwnSpace, TwoSpacesShareTheirBinaries) {
  const target::Address pc = address_of(reinterpret_cast<const void*>(&getpid));
  Binary* const binary = space_.find(pc).binary;
  const std::size_t binaries = binaries_.size();
  AddressSpace other = std::move(*AddressSpace::open(process_, memory_, binaries_));
  EXPECT_EQ(other.find(pc).binary, binary);
  EXPECT_EQ(binaries_.size(), binaries);
  EXPECT_NE(other.generation(), space_.generation());
}

}  // namespace
}  // namespace flametap::native
