#include "format/austin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "format/folded.h"

namespace flametap::format {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kHead = "# austin: 3.7.0\n# interval: 1000\n";

ReadProfile read(const std::string& text) {
  Result<ReadProfile> result = read_folded(text);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.ok() ? std::move(*result) : ReadProfile{};
}

TEST(Austin, ReadsThreadsStacksAndTime) {
  const ReadProfile austin = read(kHead +
                                  "# mode: wall\n\n"
                                  "P70;T0:71;/a.py:<module>:4;/a.py:f:9 1043\n"
                                  "P70;T0:72;<frozen io>:run:3 1043\n"
                                  "P70;T0:71;/a.py:<module>:4 950\n"
                                  "P70;T0:71 1000\n\n# duration: 4000\n");
  const profile::Profile& profile = austin.profile;
  EXPECT_TRUE(austin.warnings.empty());
  ASSERT_EQ(profile.threads().size(), 2u);
  EXPECT_EQ(profile.processes()[0].pid, 70);
  EXPECT_EQ(profile.threads()[1].id, 72u);
  ASSERT_EQ(profile.samples().size(), 4u);
  const auto times = [&](std::size_t i) {
    return std::pair(profile.samples()[i].time_ns, profile.samples()[i].weight_ns);
  };
  EXPECT_EQ(times(0), std::pair(0ul, 1'043'000ul));
  EXPECT_EQ(times(1), std::pair(0ul, 1'043'000ul)) << "at the same moment";
  EXPECT_EQ(times(2), std::pair(1'043'000ul, 950'000ul));
  EXPECT_EQ(times(3), std::pair(1'993'000ul, 1'000'000ul));
  EXPECT_EQ(profile.samples()[3].stack, profile::kEmptyStack);
  EXPECT_EQ(profile.recording.rate_hz, 1000);
  EXPECT_EQ(profile.recording.duration_ns, 4'000'000u);
  EXPECT_EQ(profile.recording.mode, profile::Mode::unknown);
  EXPECT_EQ(write_folded(profile),
            "(no Python frames) 1\n<module> (/a.py:4) 1\n<module> (/a.py:4);f (/a.py:9) 1\nrun (<frozen io>:3) 1\n");
}

TEST(Austin, FullModeTellsIdleThreads) {
  const ReadProfile austin = read(kHead + "# mode: full\nP7;T0:7;/a.py:f:1 10,1,0\nP7;T0:7;/a.py:g:1 20,0,-4096\n");
  EXPECT_EQ(austin.profile.recording.mode, profile::Mode::wall);
  EXPECT_EQ(austin.profile.samples()[0].state, 0);
  EXPECT_EQ(austin.profile.samples()[1].state, stack::kOnCpu);
  EXPECT_EQ(austin.profile.total_weight_ns(), 30'000u);
  EXPECT_EQ(read(kHead + "# mode: cpu\nP7;T0:7;/a.py:f:1 10\n").profile.recording.mode, profile::Mode::cpu);
}

TEST(Austin, MemoryIsNotTime) {
  const ReadProfile austin = read(kHead + "# mode: memory\nP7;T0:7;/a.py:f:1 4096\n");
  EXPECT_EQ(austin.profile.total_weight_ns(), 0u);
  EXPECT_EQ(austin.profile.total_ticks(), 4096u);
  EXPECT_THAT(austin.warnings, ElementsAre(HasSubstr("bytes of memory")));
}

TEST(Austin, OlderThreadsAndOtherFrames) {
  const ReadProfile austin = read(
      kHead +
      "P7;T7f10;kernel:do_syscall_64:0;/usr/lib/libc.so:read:0;:GC: 5\nP8;Tworker;/a.py:f:1 5\nP8;Tx;/a.py:f:1 q\n");
  EXPECT_EQ(austin.profile.threads()[0].id, 0x7f10u);
  EXPECT_EQ(austin.profile.threads()[1].name, "worker");
  EXPECT_EQ(austin.profile.processes().size(), 2u);
  EXPECT_EQ(write_folded(austin.profile), "do_syscall_64_[k];read (/usr/lib/libc.so);(gc) 1\nf (/a.py:1) 1\n");
  EXPECT_EQ(austin.warnings.size(), 1u) << "of the last line";
}

TEST(Austin, AFileHasOneDialect) {
  const ReadProfile austin = read("P7;T0:7;/a.py:f:1 5\nmain;f 3\nP7;T0:7;/a.py:f:1 5\n");
  EXPECT_THAT(austin.warnings, ElementsAre("line 2 was not understood: it is not Austin's, as those before it are"));
  EXPECT_EQ(austin.profile.total_weight_ns(), 10'000u);
  const ReadProfile plain = read("main;f 3\nP7;T0:7;/a.py:f:1 5\n");
  EXPECT_THAT(plain.warnings, ElementsAre());
  EXPECT_EQ(plain.profile.total_ticks(), 8u);
}

}  // namespace
}  // namespace flametap::format
