#include "format/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "profile/test_profile.h"

namespace flametap::format {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

profile::Profile two_samples() {
  profile::TestProfile test;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  test.sample(thread, {{"main", "/a.py", 3}, {"f", "/a.py", 9}}, 2);
  test.sample(thread, {}, 1);
  test.profile.recording.rate_hz = 99.5;
  test.profile.recording.start_unix_ns = 18446744073709551615u;
  test.profile.recording.quality.more["of_the_sampler"] = 3;
  return std::move(test.profile);
}

std::string error_of(const std::string& text) {
  const Result<profile::Profile> profile = read_json(text);
  return profile.ok() ? "no error" : profile.error().message;
}

// The error that reading gives after `pointer` was set to `value`.
std::string error_with(const std::string& pointer, const json& value) {
  json document = json::parse(write_json(two_samples()));
  document[json::json_pointer(pointer)] = value;
  return error_of(document.dump());
}

std::string error_without(const std::string& key) {
  json document = json::parse(write_json(two_samples()));
  document.erase(key);
  return error_of(document.dump());
}

TEST(Json, ReadsBackAsItself) {
  const profile::Profile profile = two_samples();
  const Result<profile::Profile> again = read_json(write_json(profile));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->recording, profile.recording);
  EXPECT_EQ(again->processes(), profile.processes());
  EXPECT_EQ(again->threads(), profile.threads());
  EXPECT_EQ(again->samples(), profile.samples());
  EXPECT_EQ(write_json(*again), write_json(profile));
}

TEST(Json, KeepsEveryTextThatIsUtf8) {
  profile::Profile profile;
  const std::string text("\0\x01\"\\/\n\x7f é 🔥", 15);
  profile.intern(text);
  const Result<profile::Profile> again = read_json(write_json(profile));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->text(profile::StringId{1}), text);
}

TEST(Json, TextsThatOnlyDifferInBrokenBytesStillReadBack) {
  profile::TestProfile test;
  test.sample(test.thread("MainThread", 7), {{"\xff", "/a.py", 1}, {"\xfe", "/a.py", 1}});
  const Result<profile::Profile> again = read_json(write_json(test.profile));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->frames_of(again->samples()[0].stack).size(), 2u);
}

TEST(ReadJson, SaysWhereItIsNotJson) {
  EXPECT_EQ(error_of("{\"flametap\": 1,\n\"recording\" }"), "not JSON from line 2, column 13 on");
  EXPECT_THAT(error_of(""), HasSubstr("not JSON"));
  EXPECT_THAT(error_of("{\"flametap\": 1e999}"), HasSubstr("number"));
  EXPECT_EQ(error_of("[]"), "the file: is not an object");
  EXPECT_THAT(error_of(std::string(1'000'000, '[')), HasSubstr("nest deeper"));
  EXPECT_EQ(error_of("[\"" + std::string(100, '[') + "\\\"" + std::string(100, '[') + "\"]"),
            "the file: is not an object");
}

TEST(ReadJson, NeedsEveryPart) {
  EXPECT_EQ(error_without("flametap"), "the file: has no \"flametap\"");
  for (const char* key : {"recording", "processes", "threads", "strings", "functions", "frames", "stacks", "samples"}) {
    EXPECT_EQ(error_without(key), "the file: has no \"" + std::string(key) + "\"");
  }
  EXPECT_THAT(error_with("/flametap", 3), HasSubstr("version 3 of this format is not known"));
}

TEST(ReadJson, SaysWhichIdIsOutOfRange) {
  EXPECT_EQ(error_with("/samples/stack/1", 99), "samples.stack[1]: 99 is out of range, there are 3");
  EXPECT_EQ(error_with("/samples/thread/0", 1), "samples.thread[0]: 1 is out of range, there are 1");
  EXPECT_EQ(error_with("/stacks/frame/0", 2), "stacks.frame[0]: 2 is out of range, there are 2");
  EXPECT_EQ(error_with("/frames/function/1", 2), "frames.function[1]: 2 is out of range, there are 2");
  EXPECT_THAT(error_with("/functions/name/0", 1u << 31), HasSubstr("functions.name[0]"));
  EXPECT_EQ(error_with("/threads/0/process", 5), "threads[0].process: there is no process 5");
}

TEST(ReadJson, AParentStandsBeforeItsChildren) {
  EXPECT_EQ(error_with("/stacks/parent/0", 1), "stacks.parent[0]: 1 is out of range, there are 1");
  EXPECT_EQ(error_with("/stacks/parent/0", 2), "stacks.parent[0]: 2 is out of range, there are 1");
}

TEST(ReadJson, RefusesAbsurdDepth) {
  json document = json::parse(write_json(two_samples()));
  document["stacks"]["parent"] = json::array();
  document["stacks"]["frame"] = json::array();
  json& parents = document["stacks"]["parent"];
  json& frames = document["stacks"]["frame"];
  for (int i = 0; i < 70'000; ++i) {
    parents.push_back(i);
    frames.push_back(0);
  }
  EXPECT_EQ(error_of(document.dump()), "stacks.parent[65536]: is deeper than 65536 frames");
}

TEST(ReadJson, RefusesWhatIsNoSuchNumber) {
  EXPECT_EQ(error_with("/samples/ticks/0", -1), "samples.ticks[0]: is not a whole number from 0 on");
  EXPECT_EQ(error_with("/samples/ticks/0", 1.5), "samples.ticks[0]: is not a whole number from 0 on");
  EXPECT_EQ(error_with("/samples/ticks/0", "1"), "samples.ticks[0]: is not a whole number from 0 on");
  EXPECT_EQ(error_with("/samples/state/0", 256), "samples.state[0]: 256 is more than 255");
  EXPECT_EQ(error_with("/functions/kind/0", 5), "functions.kind[0]: 5 is more than 4");
  EXPECT_EQ(error_with("/functions/module/0", 99), "functions.module[0]: 99 is out of range, there are 4");
  EXPECT_EQ(error_with("/recording/native", 1), "recording.native: is neither true nor false");
  EXPECT_EQ(error_with("/recording/quality/guessed", -1), "recording.quality.guessed: is not a whole number from 0 on");
  EXPECT_EQ(error_with("/frames/line/0", 2147483648u), "frames.line[0]: 2147483648 is more than 2147483647");
  EXPECT_EQ(error_with("/recording/rate_hz", -1), "recording.rate_hz: is not a number from 0 on");
  EXPECT_EQ(error_with("/recording/mode", "cup"), "recording.mode: 'cup' is not a mode");
  EXPECT_EQ(error_with("/strings/0", 1), "strings[0]: is not a string");
  EXPECT_EQ(error_with("/processes/0", 1), "processes[0]: is not an object");
  EXPECT_EQ(error_with("/recording/quality/more/x", -1), "recording.quality.more: is not a whole number from 0 on");
}

TEST(ReadJson, ColumnsHaveOneLength) {
  EXPECT_EQ(error_with("/samples/state", json::array()), "samples.state: has 0 entries, its table has 2");
  EXPECT_EQ(error_with("/samples/time_ns", 3), "samples.time_ns: is not an array");
}

TEST(ReadJson, SumsCannotOverflow) {
  EXPECT_THAT(error_with("/samples/weight_ns/1", 9223372036854775807), HasSubstr("samples.weight_ns[1]"));
  EXPECT_THAT(error_with("/samples/ticks/1", 9223372036854775807), HasSubstr("samples.ticks[1]"));
}

}  // namespace
}  // namespace flametap::format
