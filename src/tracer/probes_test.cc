// The programs in the kernel at markers of this very process, by both kinds of links.
#include "tracer/probes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>
#include <tuple>

#include "tracer/markers.h"

namespace flametap::tracer {
namespace {

extern "C" {
[[gnu::section(".probes")]] extern volatile std::uint16_t call_semaphore;
volatile std::uint16_t call_semaphore = 0;
}

// A marker at two places, with arguments wherever a compiler puts them: in registers, in memory, as constants.
#define MARK(ARGUMENTS)                                 \
  "990: nop\n"                                          \
  ".pushsection .note.stapsdt,\"\",\"note\"\n"          \
  ".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"         \
  "991: .asciz \"stapsdt\"\n992: .balign 4\n"           \
  "993: .8byte 990b\n.8byte 0\n.8byte call_semaphore\n" \
  ".asciz \"python\"\n.asciz \"function__entry\"\n.asciz \"" ARGUMENTS "\"\n994: .balign 4\n.popsection\n"

[[gnu::noinline]] void pass_in_registers(const char* file, const char* function, int line) {
  __asm__ volatile(MARK("8@%%rdi 8@%%rsi -4@%%edx") : : "D"(file), "S"(function), "d"(line));
}

[[gnu::noinline]] void pass_in_memory(const char* file, const char* function) {
  struct {
    std::uint64_t before = 1;
    const char* name;
  } const there{.name = function};
  __asm__ volatile(MARK("8@%%rdi 8@8(%%rcx) -4@$-3") : : "D"(file), "c"(&there), "m"(there));
}

using Seen = std::tuple<std::string, std::string, int>;

std::vector<Seen> calls_in(Probes& probes) {
  std::vector<Seen> seen;
  probes.read([&](std::span<const std::byte> bytes) {
    flametap_record record;
    std::memcpy(&record, bytes.data(), sizeof record);
    if (record.kind != FLAMETAP_CALL) return;
    const std::string texts(reinterpret_cast<const char*>(bytes.data()) + sizeof record, bytes.size() - sizeof record);
    const std::size_t file_size = record.text_sizes[FLAMETAP_FILE];
    seen.emplace_back(texts.substr(0, file_size), texts.substr(file_size), record.line);
  });
  return seen;
}

class ProbesOfEachKind : public testing::TestWithParam<LinkKind> {};

TEST_P(ProbesOfEachKind, TellOfEveryPlaceArgumentAndThread) {
  const std::vector wanted = {Probes::Probe::call};
  auto probes = Probes::load({.buffer_bytes = 1 << 20, .links = GetParam()}, wanted);
  if (!probes && probes.error().kind == Failure::not_permitted) GTEST_SKIP() << probes.error().message;
  ASSERT_TRUE(probes) << probes.error().message;
  const auto file = marked_file("/proc/self/exe");
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->markers.size(), 2u);
  const auto attached = probes->attach(Probes::Probe::call, *file, getpid());
  ASSERT_TRUE(attached) << attached.error().message;
  EXPECT_GT(call_semaphore, 0);
  pass_in_registers("early.py", "unseen", 1);
  probes->begin();
  pass_in_registers("a.py", "first", -5);
  pass_in_memory("b.py", "second");
  std::thread([] { pass_in_registers("c.py", "in_a_thread", 7); }).join();
  const std::vector<Seen> expected = {{"a.py", "first", -5}, {"b.py", "second", -3}, {"c.py", "in_a_thread", 7}};
  EXPECT_EQ(calls_in(*probes), expected);
  EXPECT_EQ(probes->lost(), 0u);
  probes->detach();
  EXPECT_EQ(call_semaphore, 0);
}

TEST_P(ProbesOfEachKind, AreNotAttachedToWhatIsNotThere) {
  const std::vector wanted = {Probes::Probe::call};
  auto probes = Probes::load({.buffer_bytes = 1 << 20, .links = GetParam()}, wanted);
  if (!probes && probes.error().kind == Failure::not_permitted) GTEST_SKIP() << probes.error().message;
  ASSERT_TRUE(probes) << probes.error().message;
  auto file = marked_file("/proc/self/exe");
  ASSERT_TRUE(file);
  file->markers[0].arguments = "8@%xmm0";
  const auto strange = probes->attach(Probes::Probe::call, *file, getpid());
  ASSERT_FALSE(strange);
  EXPECT_NE(strange.error().message.find("8@%xmm0"), std::string::npos) << strange.error().message;
  file->markers.clear();
  EXPECT_FALSE(probes->attach(Probes::Probe::call, *file, getpid()));
  EXPECT_EQ(call_semaphore, 0);
}

// What this kernel has is the better one; the other is for older kernels.
INSTANTIATE_TEST_SUITE_P(Links, ProbesOfEachKind, testing::Values(LinkKind::for_each_place, best_link_kind()),
                         [](const auto& each) { return each.index == 0 ? "ForEachPlace" : "AsThisKernelHasThem"; });

}  // namespace
}  // namespace flametap::tracer
