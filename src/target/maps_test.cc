#include "target/maps.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "target/test_child.h"

namespace flametap::target {
namespace {

Mapping parse_one(std::string_view line) {
  const Result<Maps> maps = Maps::parse(line);
  EXPECT_TRUE(maps) << maps.error().message;
  EXPECT_EQ(maps->size(), 1u);
  return (*maps)[0];
}

TEST(Maps, ParsesAFileMapping) {
  const Mapping mapping =
      parse_one("7f1c2a000000-7f1c2a022000 r-xp 00001000 fe:1f 1234567    /usr/lib/libpython3.11.so.1.0\n");
  EXPECT_EQ(mapping.begin, Address{0x7f1c2a000000});
  EXPECT_EQ(mapping.end, Address{0x7f1c2a022000});
  EXPECT_EQ(mapping.size(), 0x22000u);
  EXPECT_TRUE(mapping.readable);
  EXPECT_FALSE(mapping.writable);
  EXPECT_TRUE(mapping.executable);
  EXPECT_FALSE(mapping.shared);
  EXPECT_EQ(mapping.offset, 0x1000u);
  EXPECT_EQ(mapping.file, (FileId{0xfe, 0x1f, 1234567}));
  EXPECT_EQ(mapping.path, "/usr/lib/libpython3.11.so.1.0");
  EXPECT_FALSE(mapping.deleted);
}

TEST(Maps, ParsesSpecialAndAnonymousRegions) {
  EXPECT_EQ(parse_one("1000-2000 rw-p 00000000 00:00 0                          [heap]").path, "[heap]");
  EXPECT_TRUE(parse_one("1000-2000 rw-p 00000000 00:00 0      [anon:my arena]").is_special());
  EXPECT_EQ(parse_one("1000-2000 rw-p 00000000 00:00 0      [anon:my arena]").path, "[anon:my arena]");
  EXPECT_EQ(parse_one("1000-2000 rw-p 00000000 00:00 0 ").path, "");
  EXPECT_EQ(parse_one("1000-2000 rw-p 00000000 00:00 0").path, "");
  const Mapping vsyscall = parse_one("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0     [vsyscall]");
  EXPECT_FALSE(vsyscall.readable);
  EXPECT_FALSE(vsyscall.has_file());
}

TEST(Maps, KeepsOddNames) {
  EXPECT_EQ(parse_one("1000-2000 r--p 0 08:01 5 /tmp/with  two spaces ").path, "/tmp/with  two spaces ");
  EXPECT_EQ(parse_one("1000-2000 r--p 0 08:01 5 /tmp/a\\012b\\012").path, "/tmp/a\nb\n");
  EXPECT_EQ(parse_one("1000-2000 r--p 0 08:01 5 /tmp/a\\b").path, "/tmp/a\\b");
}

TEST(Maps, MarksDeletedFiles) {
  const Mapping mapping = parse_one("1000-2000 rw-s 00000000 00:01 77    /memfd:code x (deleted)");
  EXPECT_TRUE(mapping.deleted);
  EXPECT_TRUE(mapping.shared);
  EXPECT_EQ(mapping.path, "/memfd:code x");
  // Not a file, so the words are part of a name that somebody chose.
  EXPECT_EQ(parse_one("1000-2000 rw-p 0 00:00 0 [anon:x] (deleted)").path, "[anon:x] (deleted)");
}

TEST(Maps, RefusesWhatIsNoMap) {
  for (const std::string_view text :
       {"x", "\n", "1000", "1000-", "1000-2000", "1000-2000 rwx", "1000-2000 rwxq 0 00:00 0",
        "2000-1000 r--p 0 00:00 0", "1000-1000 r--p 0 00:00 0", "1000-2000 r--p 0 0000 0", "1000-2000 r--p 0 00:00 ",
        "11111111111111111-2000 r--p 0 00:00 0", "-1-2000 r--p 0 00:00 0",
        "1000-3000 r--p 0 00:00 0\n2000-4000 r--p 0 00:00 0\n"}) {
    EXPECT_FALSE(Maps::parse(text)) << text;
  }
  EXPECT_TRUE(Maps::parse(""));
}

TEST(Maps, FindsTheMappingOfAnAddress) {
  const Result<Maps> maps =
      Maps::parse("1000-2000 r--p 0 00:00 0\n2000-3000 rw-p 0 00:00 0\n5000-6000 r--p 0 00:00 0\n");
  ASSERT_TRUE(maps);
  EXPECT_EQ(maps->find(Address{0xfff}), nullptr);
  EXPECT_EQ(maps->find(Address{0x1000}), &(*maps)[0]);
  EXPECT_EQ(maps->find(Address{0x1fff}), &(*maps)[0]);
  EXPECT_EQ(maps->find(Address{0x2000}), &(*maps)[1]);
  EXPECT_EQ(maps->find(Address{0x3000}), nullptr);
  EXPECT_EQ(maps->find(Address{0x5fff}), &(*maps)[2]);
  EXPECT_EQ(maps->find(Address{~0ull}), nullptr);
}

TEST(Maps, ReadsItsOwnProcess) {
  const Result<Maps> maps = read_maps(getpid());
  ASSERT_TRUE(maps) << maps.error().message;
  int on_stack = 0;
  const Mapping* stack = maps->find(Address{reinterpret_cast<std::uintptr_t>(&on_stack)});
  ASSERT_NE(stack, nullptr);
  EXPECT_TRUE(stack->writable);
  const Mapping* code = maps->find(Address{reinterpret_cast<std::uintptr_t>(&read_maps)});
  ASSERT_NE(code, nullptr);
  EXPECT_TRUE(code->executable);
  EXPECT_TRUE(code->has_file());
}

TEST(Maps, ReadsManyMappings) {
  // Alternating rights keep the kernel from merging the pages into one mapping.
  constexpr std::size_t kPages = 8192;
  auto* const pages =
      static_cast<char*>(mmap(nullptr, kPages * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  for (std::size_t i = 0; i < kPages; i += 2) ASSERT_EQ(mprotect(pages + i * 4096, 4096, PROT_READ | PROT_WRITE), 0);
  const Result<Maps> maps = read_maps(getpid());
  munmap(pages, kPages * 4096);
  ASSERT_TRUE(maps) << maps.error().message;
  EXPECT_GE(maps->size(), kPages);
}

TEST(Maps, ProcessThatIsNoMore) {
  TestChild child = TestChild::run([](const auto& ready) { ready(); });
  const pid_t pid = child.pid();
  child.kill_without_reaping();
  const Result<Maps> zombie = read_maps(pid);
  EXPECT_TRUE(!zombie || zombie->empty());
  child.kill_and_reap();
  const Result<Maps> gone = read_maps(pid);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, Failure::no_such_process);
}

}  // namespace
}  // namespace flametap::target
