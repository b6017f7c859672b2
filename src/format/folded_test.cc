#include "format/folded.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/limits.h"
#include "profile/test_profile.h"

namespace flametap::format {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string rewritten(std::string_view text) {
  const Result<ReadProfile> read = read_folded(text);
  return read.ok() ? write_folded(read->profile) : "error: " + read.error().message;
}

TEST(Folded, LinesAreUniqueAndSorted) {
  profile::TestProfile test;
  const profile::ThreadId one = test.thread("MainThread", 7);
  const profile::ThreadId other = test.thread("worker", 8);
  test.sample(one, {{"g", "/a.py", 2}}, 2);
  test.sample(one, {{"f", "/a.py", 1, 1}}, 3);
  test.sample(other, {{"f", "/a.py", 1, 9}}, 4);  // another function of that name, line and file
  test.sample(other, {{"f", "/a.py", 1, 1}, {"g", "/a.py", 2}});
  EXPECT_EQ(write_folded(test.profile), "f (/a.py:1) 7\nf (/a.py:1);g (/a.py:2) 1\ng (/a.py:2) 2\n");
}

TEST(Folded, ALateSampleCountsForTheTicksThatWereMissedBeforeIt) {
  profile::TestProfile test;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  test.sample(thread, {{"f", "/a.py", 1}}, 2);
  const auto late = test.stack({{"g", "/a.py", 2}});
  test.profile.add(profile::Sample{2'000'000, 7'000'000, thread, late, 1, stack::kOnCpu});
  EXPECT_EQ(write_folded(test.profile), "f (/a.py:1) 2\ng (/a.py:2) 7\n");
}

TEST(Folded, WithoutAnIntervalTheCountsAreMicroseconds) {
  profile::TestProfile test;
  test.profile.recording.rate_hz = 0;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  const auto add = [&](const char* name, std::uint64_t ticks, std::uint64_t ns) {
    test.profile.add(profile::Sample{0, ns, thread, test.stack({{name, "/a.py", 1}}), ticks, stack::kOnCpu});
  };
  add("deep", 10, 300'000);  // takes long to read
  add("shallow", 90, 700'000);
  add("rare", 1, 100);
  EXPECT_EQ(write_folded(test.profile), "deep (/a.py:1) 300\nrare (/a.py:1) 1\nshallow (/a.py:1) 700\n");
}

TEST(Folded, ARateThatCannotBeIsNoAbsurdCount) {
  for (const double rate : {1e-300, 1.0, 1e300}) {
    profile::TestProfile test;
    test.profile.recording.rate_hz = rate;
    const profile::ThreadId thread = test.thread("MainThread", 7);
    test.sample(thread, {{"f", "/a.py", 1}}, 3);
    test.sample(thread, {{"g", "/a.py", 1}}, 400);
    const bool is_slow = rate <= 1;
    EXPECT_EQ(write_folded(test.profile),
              is_slow ? "f (/a.py:1) 3\ng (/a.py:1) 400\n" : "f (/a.py:1) 3000\ng (/a.py:1) 400000\n");
  }
}

TEST(Folded, TheLargestTimeHasACount) {
  profile::TestProfile test;
  test.profile.recording.rate_hz = 1e9;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  const auto stack = test.stack({{"f", "/a.py", 1}});
  test.profile.add(profile::Sample{0, kMaxSum, thread, stack, 1, stack::kOnCpu});
  EXPECT_EQ(write_folded(test.profile), "f (/a.py:1) 9223372036854776\n");
}

TEST(Folded, ADifferenceHasBothCountsAtOneScale) {
  profile::TestProfile before;
  const profile::ThreadId thread = before.thread("MainThread", 7);
  before.sample(thread, {{"f", "/a.py", 0}}, 3);
  before.sample(thread, {{"g", "/a.py", 0}}, 1);
  profile::TestProfile after;
  after.thread("MainThread", 7);
  after.sample(thread, {{"g", "/a.py", 0}}, 30);
  after.sample(thread, {{"h", "/a.py", 0}}, 10);
  EXPECT_EQ(write_folded_difference(before.profile, after.profile),
            "f (/a.py) 30 0\ng (/a.py) 10 30\nh (/a.py) 0 10\n");
  EXPECT_EQ(write_folded_difference(before.profile, profile::Profile()), "f (/a.py) 3 0\ng (/a.py) 1 0\n");
}

TEST(Folded, ALineStaysALine) {
  profile::TestProfile test;
  test.sample(test.thread("MainThread", 7), {{"a;b\nc", "/x;y.py", 1}}, 2);
  EXPECT_EQ(write_folded(test.profile), "a:b c (/x:y.py:1) 2\n");
}

TEST(Folded, SamplesWithoutFramesAreNotHidden) {
  profile::TestProfile test;
  test.sample(test.thread("MainThread", 7), {}, 5);
  EXPECT_EQ(write_folded(test.profile), "(no Python frames) 5\n");
  EXPECT_EQ(rewritten("(no Python frames) 5\n"), "(no Python frames) 5\n");
}

TEST(ReadFolded, TakesOurFramesApart) {
  const Result<ReadProfile> read = read_folded("thread Main (7);f (/My App (2)/a.py:12);<lambda> (<string>:1) 3\n");
  ASSERT_TRUE(read.ok());
  const profile::Profile* profile = &read->profile;
  const std::vector<profile::FrameId> frames = profile->frames_of(profile->samples().at(0).stack);
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(profile->function(profile->frame(frames[0]).function).kind, profile::FrameKind::marker);
  EXPECT_EQ(profile->name(frames[1]), "f");
  EXPECT_EQ(profile->file(frames[1]), "/My App (2)/a.py");
  EXPECT_EQ(profile->frame(frames[1]).line, 12);
  EXPECT_EQ(profile->file(frames[2]), "<string>");
  EXPECT_EQ(profile->samples()[0].ticks, 3u);
  EXPECT_EQ(profile->recording.mode, profile::Mode::unknown);
}

TEST(ReadFolded, TakesPlainFilesOfOtherTools) {
  EXPECT_EQ(rewritten("# a remark\nb;c 1\r\na;b 12\n\na;b 3"), "a;b 15\nb;c 1\n");
  EXPECT_EQ(rewritten("std::vector<int> f (int) 4\n"), "std::vector<int> f (int) 4\n");
}

TEST(ReadFolded, WhatLooksLikeAFrameComesOutAsItWentIn) {
  for (const std::string line :
       {"f ()", "f (a.py:007)", "f (a.py:0)", "f (:1)", "f (a.py:99999999999)", " (a.py:1)", "f (a.py:1) x", "(x", ";",
        ";;a", "f (.:1)", "f (a.py)", "process 7 (python a.py:3)"}) {
    EXPECT_EQ(rewritten(line + " 1\n"), line + " 1\n");
  }
}

TEST(ReadFolded, TheDialectsOfOtherTools) {
  EXPECT_EQ(rewritten("/srv/app.py:<module>:40;/srv/app.py:fib:5 3\n"),
            "<module> (/srv/app.py:40);fib (/srv/app.py:5) 3\n")
      << "Pyflame";
  EXPECT_EQ(rewritten("(idle) 7\n"), "(idle) 7\n") << "Pyflame";
  EXPECT_EQ(rewritten("thread (7): MainThread;<module> (app.py:4) 2\n"),
            "thread (7): MainThread;<module> (app.py:4) 2\n")
      << "py-spy";
  EXPECT_EQ(rewritten("python3;main;do_syscall_64_[k];vfs_read_[k] 9\n"),
            "python3;main;do_syscall_64_[k];vfs_read_[k] 9\n")
      << "perf";
  EXPECT_EQ(rewritten("java;A::f_[j];A::g_[i] 9\n"), "java;A::f ([jit]);A::g_[i] 9\n") << "perf";
  EXPECT_EQ(rewritten("python3;py::fib:/srv/app.py 9\n"), "python3;fib (/srv/app.py) 9\n") << "perf";
}

TEST(ReadFolded, NativeFramesComeOutAsTheyWentIn) {
  for (const std::string line :
       {"f_[n]", "f(int (*)(char, ...)) (/usr/lib/libz.so.1)_[n]", "f (/My App (2)/a.so)_[n]", "f (a.c:3)_[i]",
        "(anonymous namespace)::f() ([vdso])_[n]", "read_[k]", "f ([nf_tables])_[k]", "operator() (x)_[n]"}) {
    EXPECT_EQ(rewritten(line + " 1\n"), line + " 1\n");
  }
  EXPECT_EQ(rewritten("f_[i]_[k];f_[k]_[i] 1\n"), "f_[k];f_[k] 1\n");
}

TEST(ReadFolded, WhatIsNotClearStaysAName) {
  for (const std::string line : {"std::vector<int>::size:3", "a:b:c", "a.py:f", "http://x:y", "py::f:x", "x.py:1f:3",
                                 "_[k]", "f_[x]", "P1;T0:2", "P1;T2;main", "Pa;T2;/a.py:f"}) {
    EXPECT_EQ(rewritten(line + " 1\n"), line + " 1\n");
  }
}

TEST(ReadFolded, SkipsLinesThatItDoesNotUnderstand) {
  const Result<ReadProfile> one = read_folded("a 1\nb\nc 2\n");
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(one->profile.total_ticks(), 3u);
  EXPECT_THAT(one->warnings, ElementsAre("line 2 was not understood: it does not end with a count: 'b'"));
  const Result<ReadProfile> two = read_folded("a 1\nb\n\nc\nd 2\n");
  ASSERT_TRUE(two.ok());
  EXPECT_THAT(two->warnings, ElementsAre("2 lines were not understood, the first is line 2: it does not end with a "
                                         "count: 'b'"));
  EXPECT_TRUE(read_folded("a 1\n")->warnings.empty());
}

std::string lines(int good, int foreign) {
  std::string text;
  for (int i = 0; i < good; ++i) text += "main;f" + std::to_string(i) + " 1\n";
  for (int i = 0; i < foreign; ++i) text += "Wrote a file.\n";
  return text;
}

TEST(ReadFolded, RefusesAFileOfWhichItUnderstandsTooLittle) {
  for (const auto& [good, foreign] : {std::pair{3, 3}, {10, 3}, {90, 10}, {1, 1}})
    EXPECT_TRUE(read_folded(lines(good, foreign)).ok()) << good << " good lines, " << foreign << " others";
  for (const auto& [good, foreign] : {std::pair{1, 2}, {30, 4}, {89, 11}, {0, 1}}) {
    const Result<ReadProfile> read = read_folded(lines(good, foreign));
    ASSERT_FALSE(read.ok()) << good << " good lines, " << foreign << " others";
    EXPECT_THAT(read.error().message, HasSubstr("no folded stacks"));
    EXPECT_THAT(read.error().remedy, HasSubstr("speedscope"));
  }
  EXPECT_EQ(rewritten(lines(30, 4)).substr(0, 70),
            "error: it has no folded stacks: 4 of its 34 lines were not understood,");
}

TEST(ReadFolded, ALineThatIsTooMuchIsStillALineOfStacks) {
  std::string deep;
  for (int i = 0; i < 70'000; ++i) deep += "a;";
  std::string text = "a 1\n";
  for (int i = 0; i < 5; ++i) text += deep + "a 1\n";
  EXPECT_TRUE(read_folded(text).ok());
}

TEST(ReadFolded, RefusesBinaryFiles) {
  const std::string text = lines(1000, 0) + std::string("main;\0f 1\n", 11);
  EXPECT_THAT(rewritten(text), HasSubstr("NUL bytes"));
}

TEST(ReadFolded, SaysWhichLineIsWrongWhereNothingIsRight) {
  EXPECT_THAT(rewritten("# x\nb\n"), HasSubstr("line 2: it does not end with a count: 'b'"));
  for (const std::string line : {"a 1.5", "a -1", "12", "a 99999999999999999999"}) {
    EXPECT_THAT(rewritten(line + "\n"), HasSubstr("line 1: it does not end with a count"));
  }
  const Result<ReadProfile> too_much = read_folded("a 9223372036854775807\nb 1\n");
  EXPECT_THAT(too_much->warnings, ElementsAre(HasSubstr("add up to too much")));
  std::string deep;
  for (int i = 0; i < 70'000; ++i) deep += "a;";
  EXPECT_THAT(rewritten(deep + "a 1\n"), HasSubstr("deeper than 65536 frames"));
}

}  // namespace
}  // namespace flametap::format
