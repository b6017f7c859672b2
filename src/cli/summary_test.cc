#include "cli/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/hottest.h"
#include "cli/text_width.h"
#include "profile/filter.h"
#include "profile/test_profile.h"

namespace flametap::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

profile::Profile recorded() {
  profile::TestProfile made;
  const auto worker = made.thread("worker", 8);
  made.sample(worker, {"main", "spin"}, 30);
  made.sample(worker, {"main", "nap"}, 70, 0);
  profile::Profile profile = made.profile;
  profile.recording.ended = "the time was up";
  profile.recording.duration_ns = 100'000'000;
  profile.recording.rate_hz = 1000;
  profile.recording.quality.ticks = 100;
  profile.recording.quality.missed_ticks = 2;
  profile.recording.quality.free_running = 85;
  profile.recording.quality.interrupted = 5;
  profile.recording.quality.ride_along = 9;
  profile.recording.quality.paused = 1;
  profile.recording.quality.torn = 3;
  return profile;
}

TEST(Summary, NoLossIsHidden) {
  const profile::Profile all = recorded();
  const std::string text = summary_text(all, *profile::filter(all, {.mode = profile::Mode::cpu}), "out.svg");
  EXPECT_THAT(text, HasSubstr("flametap: the time was up after 100 ms\n"));
  EXPECT_THAT(text, HasSubstr("100 ticks at 1000 Hz, 2 missed\n"));
  EXPECT_THAT(
      text,
      HasSubstr("100 samples (85 free running, 5 in an interrupt, 9 riding along, 1 paused); 3 torn, 0 unreadable\n"));
  EXPECT_THAT(text, HasSubstr("mode cpu: 30.00 % of the threads' wall time\n"));
  EXPECT_THAT(text, HasSubstr("100.00 %  spin (/app/a.py)\n"));
  EXPECT_THAT(text, HasSubstr("written to out.svg\n"));
  EXPECT_THAT(text, Not(HasSubstr("nap")));
}

TEST(Summary, CountsOneProcessAndMore) {
  profile::Profile all = recorded();
  all.recording.quality.more = {{"child processes", 1}, {"child processes closed to us", 1}};
  EXPECT_THAT(summary_text(all, all, "-"), HasSubstr(", 1 child process, 1 child process closed to us\n"));
  all.recording.quality.more = {{"child processes", 2}};
  EXPECT_THAT(summary_text(all, all, "-"), HasSubstr(", 2 child processes\n"));
}

TEST(Summary, CountsTheFirstThreadOnceThroughAnExec) {
  profile::TestProfile made;
  const auto before = made.thread("first", 7, 7);
  const auto other = made.thread("other", 8, 7);
  const auto program = made.profile.add(profile::Process{7, "python b.py", "3.11.7"});
  const auto after = made.profile.add(profile::Thread{program, 7, "first"});
  for (const auto thread : {before, other, after}) made.sample(thread, {"main"}, 1);
  EXPECT_THAT(summary_text(made.profile, made.profile, "-"), HasSubstr(" of 2 threads: "));
}

TEST(Summary, SaysWhatBecameOfCStacks) {
  profile::Profile all = recorded();
  EXPECT_THAT(summary_text(all, all, "-"), Not(HasSubstr("C stacks")));
  all.recording.native = true;
  EXPECT_THAT(summary_text(all, all, "-"), HasSubstr("  C stacks: unmerged 0 of 100 (0.00 %)\n"));
  all.recording.quality.free_running = 9'985;
  all.recording.quality.unmerged = 3;
  all.recording.quality.native_truncated = 1;
  all.recording.quality.guessed = 1'200;
  all.recording.quality.median_stop_ns = 31'000;
  EXPECT_THAT(summary_text(all, all, "-"),
              HasSubstr("  C stacks: unmerged 3 of 10,000 (0.03 %), shown as Python only; "
                        "truncated 1 (0.01 %); guessed 1,200 (12.00 %); a stop took 31 µs (median)\n"));
}

TEST(Summary, TellsRunningFromReadyAndWarnsOfAQueue) {
  profile::TestProfile made;
  const auto worker = made.thread("worker", 8);
  const stack::State ready = stack::kOnCpu | stack::kReady;
  made.sample(worker, {"main", "spin"}, 81);
  made.sample(worker, {"main", "spin"}, 19, ready);
  EXPECT_THAT(summary_text(made.profile, made.profile, "-"),
              AllOf(HasSubstr("81.00 % on a CPU, 19.00 % ready for one"), Not(HasSubstr("warning"))));
  made.sample(worker, {"main", "spin"}, 2, ready);
  made.sample(worker, {"main", "nap"}, 98, 0);
  EXPECT_THAT(summary_text(made.profile, made.profile, "-"),
              HasSubstr("warning: threads that could run waited for a CPU in 20.59 % of that time"));
}

TEST(Summary, SaysWhatTimeWithoutSamplesDoesToTheError) {
  profile::Profile all = recorded();
  EXPECT_THAT(summary_text(all, all, "-"), Not(HasSubstr("not sampled")));
  const auto at = [&](std::uint64_t ms, stack::State state) {
    all.add({.time_ns = 0,
             .weight_ns = ms * 1'000'000,
             .thread = profile::ThreadId{0},
             .stack = profile::kEmptyStack,
             .ticks = 0,
             .state = state});
  };
  at(10, stack::kOnCpu);
  at(90, 0);
  EXPECT_THAT(
      summary_text(all, all, "-"),
      HasSubstr("not sampled: 100 ms (50.00 %), of which 10 ms on a CPU: shares of CPU time may be off by up to "
                "25.00 %\n"));
}

TEST(Summary, SaysWhyThereIsNothingToSee) {
  profile::TestProfile made;
  made.sample(made.thread("worker", 8), {"nap"}, 5, 0);
  const std::string text =
      summary_text(made.profile, *profile::filter(made.profile, {.mode = profile::Mode::cpu}), "-");
  EXPECT_THAT(text, HasSubstr("--mode wall"));
}

TEST(Hottest, TableHasSelfAndTotal) {
  const std::string table = hottest_table(recorded(), 2);
  EXPECT_THAT(table, HasSubstr("    70 ms    70.00     70 ms    70.00  nap       /app/a.py\n"));
  EXPECT_THAT(table, HasSubstr("    30 ms    30.00     30 ms    30.00  spin      /app/a.py\n"));
  EXPECT_THAT(table, Not(HasSubstr("main")));
}

TEST(Hottest, TableFitsTheTerminal) {
  profile::TestProfile made;
  const char* path = "/usr/lib/python3/dist-packages/a/very/long/path/to/some/module/of/a/program.py";
  made.sample(made.thread("worker", 8), {{"Handler.answer_a_very_long_question_of_a_client", path, 3}});
  std::istringstream lines(hottest_table(made.profile, 1, 80));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(width(line), 80u) << line;
  EXPECT_THAT(hottest_table(made.profile, 1, 80), AllOf(HasSubstr("  Handle…"), HasSubstr("program.py\n")));
  EXPECT_THAT(hottest_table(made.profile, 1), HasSubstr(path));
}

TEST(Hottest, ShortensLongNames) {
  profile::TestProfile made;
  const std::string name = "begin" + std::string(5000, 'x') + "end";
  made.sample(made.thread("worker", 8), {name.c_str()});
  for (const std::string& text : {hottest_table(made.profile, 1), hottest_lines(made.profile, 1)}) {
    EXPECT_LT(text.size(), 1000u);
    EXPECT_THAT(text, AllOf(HasSubstr("beginx"), HasSubstr("xend")));
  }
}

TEST(Hottest, NativeFunctionsGoByTheirSourceOrTheirLibrary) {
  profile::TestProfile made;
  const char* library = "/usr/lib/x86_64-linux-gnu/libz.so.1";
  made.sample(made.thread("worker", 8), {"main", {"inflate", profile::FrameKind::native, library}}, 3);
  made.sample(made.thread("worker", 8), {"main", {"copy", profile::FrameKind::inlined, library, "/src/inflate.c", 7}});
  made.sample(made.thread("worker", 8), {"main", {"read", profile::FrameKind::kernel, "[kernel]"}});
  const std::string table = hottest_table(made.profile, 3);
  EXPECT_THAT(table, HasSubstr("  inflate   libz.so.1\n"));
  EXPECT_THAT(table, HasSubstr("  copy      /src/inflate.c\n"));
  EXPECT_THAT(table, HasSubstr("  read      [kernel]\n"));
}

}  // namespace
}  // namespace flametap::cli
