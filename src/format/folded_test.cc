#include "format/folded.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/test_profile.h"

namespace flametap::format {
namespace {

using ::testing::HasSubstr;

std::string rewritten(std::string_view text) {
  const Result<profile::Profile> profile = read_folded(text);
  return profile.ok() ? write_folded(*profile) : "error: " + profile.error().message;
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
  const Result<profile::Profile> profile =
      read_folded("thread Main (7);f (/My App (2)/a.py:12);<lambda> (<string>:1) 3\n");
  ASSERT_TRUE(profile.ok());
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

TEST(ReadFolded, SaysWhichLineIsWrong) {
  EXPECT_THAT(rewritten("a 1\nb\n"), HasSubstr("line 2: does not end with a count: 'b'"));
  EXPECT_THAT(rewritten("a 1.5\n"), HasSubstr("line 1"));
  EXPECT_THAT(rewritten("a -1\n"), HasSubstr("line 1"));
  EXPECT_THAT(rewritten("12\n"), HasSubstr("line 1"));
  EXPECT_THAT(rewritten("a 99999999999999999999\n"), HasSubstr("line 1"));
  EXPECT_THAT(rewritten("a 9223372036854775807\nb 1\n"), HasSubstr("line 2: the counts add up to too much"));
  std::string deep;
  for (int i = 0; i < 70'000; ++i) deep += "a;";
  EXPECT_THAT(rewritten(deep + "a 1\n"), HasSubstr("deeper than 65536 frames"));
}

}  // namespace
}  // namespace flametap::format
