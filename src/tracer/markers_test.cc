#include "tracer/markers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <utility>

#include "base/test_paths.h"

namespace flametap::tracer {
namespace {

const std::string kMarkedPrograms = in_build("src/tracer/tracer_marked_");
constexpr char kNop = '\x90';  // the instruction of every marker

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Any bytes as an open file.
Fd to_file(const std::string& bytes) {
  std::string name = testing::TempDir() + "markers_test_XXXXXX";
  Fd file(mkstemp(name.data()));
  unlink(name.c_str());
  EXPECT_EQ(write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  return file;
}

std::vector<Marker> markers_in(const target::ElfFile& file) {
  auto markers = read_markers(file);
  EXPECT_TRUE(markers) << markers.error().message;
  return std::move(*markers);
}

std::vector<Marker> markers_of(const std::string& path) {
  const auto file = target::ElfFile::open(path);
  EXPECT_TRUE(file) << file.error().message;
  return markers_in(*file);
}

std::uint64_t address_of(const target::ElfFile& file, const std::string& name) {
  const target::Symbols found = file.find_symbols({name});
  return found.contains(name) ? to_number(found.at(name).address) : 0;
}

std::uint16_t number_at(const std::string& bytes, std::uint64_t offset) {
  std::uint16_t number = 0;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

TEST(Markers, AreReadFromEveryKindOfProgram) {
  for (const char* const kind : {"pie", "fixed", "stripped"}) {
    const auto file = target::ElfFile::open(kMarkedPrograms + kind);
    ASSERT_TRUE(file) << file.error().message;
    const std::vector<Marker> markers = markers_in(*file);
    ASSERT_EQ(markers.size(), 4u) << kind;
    // By location, not in the order of the notes.
    EXPECT_EQ(markers[0].name, "function__entry");
    EXPECT_EQ(markers[0].arguments, "8@%rbx 8@%r12 -4@%eax");
    EXPECT_EQ(markers[0].location, address_of(*file, "first_entry")) << kind;
    EXPECT_EQ(read_whole(kMarkedPrograms + kind)[markers[0].offset], kNop) << kind;
    EXPECT_EQ(markers[1].name, "function__entry");
    EXPECT_EQ(markers[1].arguments, "8@%rbp 8@%r12 -4@%eax");
    EXPECT_EQ(markers[1].location, address_of(*file, "second_entry")) << kind;
    EXPECT_EQ(markers[2].name, "gc__start");
    EXPECT_EQ(markers[2].arguments, "-4@112(%rsp)");
    EXPECT_EQ(markers[3].name, "audit");
    EXPECT_EQ(markers[3].arguments, "");
  }
}

TEST(Markers, SemaphoresAreFoundInMemoryAndInTheFile) {
  for (const char* const kind : {"pie", "fixed", "stripped"}) {
    const auto file = target::ElfFile::open(kMarkedPrograms + kind);
    ASSERT_TRUE(file);
    const std::vector<Marker> markers = markers_in(*file);
    ASSERT_EQ(markers.size(), 4u) << kind;
    const std::string bytes = read_whole(kMarkedPrograms + kind);
    EXPECT_EQ(markers[0].semaphore, address_of(*file, "entry_semaphore")) << kind;
    EXPECT_EQ(markers[1].semaphore, markers[0].semaphore);
    EXPECT_EQ(number_at(bytes, markers[0].semaphore_offset), 0x1234) << kind;
    EXPECT_EQ(number_at(bytes, markers[2].semaphore_offset), 0x5678) << kind;
    EXPECT_EQ(markers[3].semaphore, 0u);
    EXPECT_EQ(markers[3].semaphore_offset, 0u);
  }
}

// What prelink does: everything is moved, except that the notes are left as they were.
TEST(Markers, FollowAFileThatWasPrelinked) {
  const std::string path = kMarkedPrograms + "fixed";
  const std::vector<Marker> before = markers_of(path);
  std::string bytes = read_whole(path);
  const auto file = target::ElfFile::open(path);
  ASSERT_TRUE(file);
  const auto section = file->section(".note.stapsdt");
  const std::uint64_t base = to_number(file->section(".stapsdt.base")->address);
  ASSERT_TRUE(section);
  constexpr std::uint64_t kMoved = 0x10000;
  // The three addresses of each note, told by the second of them.
  for (std::uint64_t at = section->offset + 8; at + 16 <= section->offset + section->size; at += 4) {
    std::array<std::uint64_t, 3> addresses{};
    std::memcpy(addresses.data(), bytes.data() + at - 8, sizeof addresses);
    if (addresses[1] != base) continue;
    for (std::uint64_t& address : addresses) address -= address != 0 ? kMoved : 0;
    std::memcpy(bytes.data() + at - 8, addresses.data(), sizeof addresses);
  }
  const auto moved = target::ElfFile::open(to_file(bytes), "moved");
  ASSERT_TRUE(moved);
  const std::vector<Marker> after = markers_in(*moved);
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i].name, before[i].name);
    EXPECT_EQ(after[i].location, before[i].location);
    EXPECT_EQ(after[i].semaphore, before[i].semaphore);
    EXPECT_EQ(after[i].semaphore_offset, before[i].semaphore_offset);
  }
}

TEST(Markers, AProgramWithoutAnyHasNone) { EXPECT_TRUE(markers_of(in_build("src/target/target_program_pie")).empty()); }

TEST(Markers, AnyDamageIsSurvived) {
  const std::string whole = read_whole(kMarkedPrograms + "fixed");
  const auto file = target::ElfFile::open(kMarkedPrograms + "fixed");
  ASSERT_TRUE(file);
  const auto section = file->section(".note.stapsdt");
  ASSERT_TRUE(section);
  std::mt19937 random(42);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 4; ++i) bytes[section->offset + random() % section->size] = static_cast<char>(random());
    const auto damaged = target::ElfFile::open(to_file(bytes), "damaged");
    if (!damaged) continue;
    const auto markers = read_markers(*damaged);
    if (!markers) continue;
    EXPECT_LE(markers->size(), 11u);
    for (const Marker& marker : *markers) EXPECT_FALSE(marker.name.empty());
  }
}

}  // namespace
}  // namespace flametap::tracer
