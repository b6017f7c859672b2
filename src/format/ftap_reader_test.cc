#include "format/ftap_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>

#include "format/ftap_bytes.h"
#include "format/ftap_test_recording.h"
#include "format/ftap_writer.h"
#include "format/json.h"
#include "format/text.h"

namespace flametap::format {
namespace {

using profile::Profile;
using profile::Sample;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A sample in words, which do not change with the numbers of ids.
std::string in_words(const Profile& profile, const Sample& sample) {
  const profile::Thread& thread = profile.thread(sample.thread);
  std::string text = std::to_string(sample.time_ns) + " " + std::to_string(sample.weight_ns) + " " +
                     std::to_string(sample.ticks) + " " + std::to_string(sample.state) + " " + thread.name + " " +
                     std::to_string(profile.process(thread.process).pid);
  for (const profile::FrameId frame : profile.frames_of(sample.stack)) text += ";" + frame_text(profile, frame);
  return text;
}

std::vector<std::string> in_words(const Profile& profile, const std::vector<Sample>& samples) {
  std::vector<std::string> words;
  for (const Sample& sample : samples) words.push_back(in_words(profile, sample));
  return words;
}

std::vector<std::string> warnings_of(const std::string& bytes) {
  const Result<ReadProfile> read = read_bytes(bytes);
  return read ? read->warnings : std::vector<std::string>{"error: " + read.error().message};
}

TEST(ReadFtap, GivesWhatWasRecorded) {
  TestRecording recording = small_recording();
  recording.recording().quality.more = {{"riding", 3}};
  const Result<ReadProfile> read = read_bytes(recording.bytes);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_THAT(read->warnings, IsEmpty());
  EXPECT_EQ(in_words(read->profile, read->profile.samples()), in_words(recording.tables.profile, recording.samples));
  EXPECT_EQ(read->profile.recording.ended, "the time was up");
  EXPECT_EQ(read->profile.recording.quality.ticks, recording.samples.size());
}

TEST(ReadFtap, AProfileReadsBackAsItself) {
  profile::TestProfile test;
  const profile::ThreadId thread = test.thread("MainThread", ~std::uint64_t{0});
  test.sample(thread, {{"main", "/a.py", 3}, {std::string("f\0g\xff", 4).c_str(), "/a.py", 2'147'483'647}}, 2);
  test.sample(thread, {}, 1, 255);
  test.sample(test.thread("", 0, 9), {{"main", "", 0, 0}}, 1'000'000, 0);
  test.profile.add(Sample{1, 0, thread, test.stack({"x"}), 0, 1});                                // back in time
  test.profile.add(Sample{(std::uint64_t{1} << 62), 123, thread, test.stack({"x", "y"}), 7, 2});  // and far ahead
  profile::Recording& recording = test.profile.recording;
  recording = {
      .start_unix_ns = 18446744073709551615u,
      .duration_ns = 5,
      .rate_hz = 99.5,
      .mode = profile::Mode::gil,
      .ended = "process 7 exited",
      .quality = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, {{"a", 10}, {"", ~std::uint64_t{0}}}}};
  const Result<ReadProfile> again = read_bytes(write_ftap(test.profile));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_THAT(again->warnings, IsEmpty());
  EXPECT_EQ(again->profile.recording, recording);
  EXPECT_EQ(again->profile.processes(), test.profile.processes());
  EXPECT_EQ(again->profile.threads(), test.profile.threads());
  EXPECT_EQ(again->profile.samples(), test.profile.samples());
  EXPECT_EQ(write_json(again->profile), write_json(test.profile));
  EXPECT_EQ(write_ftap(again->profile), write_ftap(test.profile)) << "the same profile gives the same bytes";
}

TEST(ReadFtap, AProfileOfManyChunksReadsBackAsItself) {
  profile::TestProfile test;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  for (int i = 0; i < 40'000; ++i) {
    const std::string name = "function_" + std::to_string(i % 9'000) + std::string(40, 'x');
    test.sample(thread, {{"main", "/a.py", 3}, {name.c_str(), "/a.py", 5}});
  }
  const std::string bytes = write_ftap(test.profile);
  const Result<ReadProfile> again = read_bytes(bytes);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_THAT(again->warnings, IsEmpty());
  EXPECT_EQ(write_json(again->profile), write_json(test.profile));
}

TEST(ReadFtap, CutAnywhereItGivesAllWholeChunksBefore) {
  const TestRecording recording = small_recording();
  const std::vector<std::string> all = in_words(recording.tables.profile, recording.samples);
  for (std::size_t cut = 0; cut < recording.bytes.size(); ++cut) {
    std::size_t samples = 0;
    bool any = false;
    for (const TestRecording::Chunk& chunk : recording.chunks) {
      if (chunk.end > cut) break;
      samples = chunk.samples;
      any = true;
    }
    const Result<ReadProfile> read = read_bytes(std::string_view(recording.bytes).substr(0, cut));
    ASSERT_EQ(read.ok(), any) << "cut at " << cut;
    if (!any) continue;
    EXPECT_EQ(in_words(read->profile, read->profile.samples()),
              std::vector<std::string>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(samples)))
        << "cut at " << cut;
    ASSERT_EQ(read->warnings.size(), 1u);
    EXPECT_THAT(read->warnings[0], HasSubstr("cut off"));
  }
}

TEST(ReadFtap, AnyDamagedByteCostsAtMostItsChunk) {
  const TestRecording recording = small_recording();
  const std::vector<std::string> all = in_words(recording.tables.profile, recording.samples);
  for (std::size_t place = 0; place < recording.bytes.size(); ++place) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string bytes = recording.bytes;
      bytes[place] = static_cast<char>(bytes[place] ^ flip);
      std::vector<std::string> expected;  // without the samples of the damaged chunk
      std::size_t begin = kFtapFileHeaderBytes;
      std::size_t samples = 0;
      for (const TestRecording::Chunk& chunk : recording.chunks) {
        const bool damaged = begin <= place && place < chunk.end;
        if (!damaged)
          expected.insert(expected.end(), all.begin() + static_cast<std::ptrdiff_t>(samples),
                          all.begin() + static_cast<std::ptrdiff_t>(chunk.samples));
        begin = chunk.end;
        samples = chunk.samples;
      }
      const Result<ReadProfile> read = read_bytes(bytes);
      ASSERT_TRUE(read.ok()) << place;
      EXPECT_EQ(in_words(read->profile, read->profile.samples()), expected) << place;
      EXPECT_FALSE(read->warnings.empty()) << place;
    }
  }
}

TEST(ReadFtap, SaysHowMuchIsMissing) {
  const TestRecording recording = small_recording();
  std::string bytes = recording.bytes;
  bytes.erase(recording.chunks[0].end, recording.chunks[1].end - recording.chunks[0].end);
  const Result<ReadProfile> read = read_bytes(bytes);
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(read->warnings, ElementsAre("missing from the recording: 1 chunk with 3 samples"));
  EXPECT_EQ(read->profile.recording.quality.more.at("lost_from_file"), 3u);
}

TEST(ReadFtap, ChunksAreFoundAgainBehindInsertedBytes) {
  const TestRecording recording = small_recording();
  std::string bytes = recording.bytes;
  bytes.insert(recording.chunks[1].end, 100'000, '\xd3');
  const Result<ReadProfile> read = read_bytes(bytes);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->profile.samples().size(), recording.samples.size());
  EXPECT_THAT(read->warnings, ElementsAre("damaged and passed over: 100,000 bytes in 1 place"));
}

// Of so many functions that the repetition has not come round when the definitions are lost.
TEST(ReadFtap, WhatNobodyDefinesIsShownAsLost) {
  TestRecording recording;
  const profile::ThreadId thread = recording.tables.thread("MainThread", 7);
  recording.sample(thread, {{"main", "/a.py", 1}});
  for (int i = 0; i < 500; ++i) recording.tables.stack({("function_" + std::to_string(i)).c_str()});
  recording.checkpoint();
  recording.sample(thread, {{"main", "/a.py", 1}, {"lost_one", "/a.py", 2}});
  recording.checkpoint();
  recording.sample(thread, {{"main", "/a.py", 1}, {"lost_one", "/a.py", 2}, {"leaf", "/a.py", 3}});
  recording.sample(thread, {{"main", "/a.py", 1}, {"lost_one", "/a.py", 2}});
  recording.checkpoint();
  std::string bytes = recording.bytes;
  bytes[recording.chunks[1].end - 1] ^= 1;
  const Result<ReadProfile> read = read_bytes(bytes);
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->profile.samples().size(), 3u);
  EXPECT_THAT(in_words(read->profile, read->profile.samples()[1]), HasSubstr("7;(lost);leaf (/a.py:3)"));
  EXPECT_TRUE(in_words(read->profile, read->profile.samples()[2]).ends_with("7;(lost)"));
  EXPECT_THAT(read->warnings, ::testing::Contains("shown as (lost): names that are missing, in 2 samples"));

  recording.finish();  // repeats every definition: now nothing is lost but the samples of the chunk
  bytes += recording.bytes.substr(bytes.size());
  const Result<ReadProfile> finished = read_bytes(bytes);
  ASSERT_TRUE(finished.ok());
  EXPECT_THAT(in_words(finished->profile, finished->profile.samples()[1]), HasSubstr("lost_one (/a.py:2);leaf"));
}

TEST(ReadFtap, DefinitionsComeBackInARecordingThatGoesOn) {
  TestRecording recording;
  const profile::ThreadId thread = recording.tables.thread("MainThread", 7);
  for (int i = 0; i < 500; ++i) {
    const std::string name = "function_" + std::to_string(i);
    recording.sample(thread, {{name.c_str(), "/a.py", i}});
  }
  for (int i = 0; i < 100; ++i) recording.checkpoint();
  recording.sample(thread, {{"function_7", "/a.py", 7}});
  recording.checkpoint();
  std::string bytes = recording.bytes;
  bytes.erase(0, recording.chunks[0].end);
  const Result<ReadProfile> read = read_bytes(bytes);
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(in_words(read->profile, read->profile.samples()[0]), HasSubstr("function_7 (/a.py:7)"));
}

TEST(ReadFtap, AThreadThatNobodyDefinesIsShownAsLost) {
  const TestRecording recording = small_recording();
  const std::string header = recording.bytes.substr(0, kFtapFileHeaderBytes);
  TestRecording other;
  const profile::ThreadId thread = other.tables.thread("MainThread", 7);
  for (int i = 0; i < 500; ++i) other.tables.stack({("function_" + std::to_string(i)).c_str()});
  other.checkpoint();
  other.sample(thread, {{"function_1"}});
  other.checkpoint();
  const Result<ReadProfile> read = read_bytes(header + other.bytes.substr(other.chunks[0].end));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->profile.thread(read->profile.samples()[0].thread).name, "(lost)");
}

TEST(ReadFtap, WithoutTimeSamplesOfOneKindBecomeOne) {
  const TestRecording recording = small_recording();
  const Result<ReadProfile> all = read_bytes(recording.bytes);
  const Result<ReadProfile> merged = read_bytes(recording.bytes, false);
  ASSERT_TRUE(all.ok() && merged.ok());
  std::map<std::string, std::uint64_t> expected;
  const auto key = [](const Profile& profile, Sample sample) {
    sample.time_ns = sample.ticks = sample.weight_ns = 0;
    return in_words(profile, sample);
  };
  for (const Sample& sample : all->profile.samples()) expected[key(all->profile, sample)] += sample.ticks;
  std::map<std::string, std::uint64_t> actual;
  for (const Sample& sample : merged->profile.samples()) {
    EXPECT_TRUE(actual.emplace(key(merged->profile, sample), sample.ticks).second);
    EXPECT_EQ(sample.weight_ns, sample.ticks * 1'000'000);
  }
  EXPECT_EQ(actual, expected);
  EXPECT_EQ(merged->profile.samples()[0].time_ns, all->profile.samples()[0].time_ns);
  EXPECT_LT(merged->profile.samples().size(), all->profile.samples().size());
  EXPECT_EQ(merged->profile.recording, all->profile.recording);
}

TEST(ReadFtap, ChunksOfAnotherRecordingAreLeftOut) {
  const TestRecording one = small_recording();
  TestRecording other({.recording_id = 78});
  for (int i = 0; i < 9; ++i) other.checkpoint();
  other.finish();
  EXPECT_THAT(warnings_of(one.bytes + other.bytes),
              ElementsAre("damaged and passed over: 24 bytes in 1 place", "left out: 10 chunks of another recording"));
  EXPECT_EQ(read_bytes(one.bytes + one.bytes)->profile.samples().size(), one.samples.size());
}

TEST(ReadFtap, SaysWhatStandsBehindTheEnd) {
  const TestRecording recording = small_recording();
  EXPECT_THAT(warnings_of(recording.bytes + "?"), ElementsAre("passed over: 1 byte behind the end of the recording"));
  EXPECT_THAT(warnings_of(recording.bytes + std::string(200'000, '\0')),
              ElementsAre("passed over: 200,000 bytes behind the end of the recording"));
}

TEST(ReadFtap, SaysWhatIsTooNew) {
  const std::string newer = file_header({.recording_id = 1, .version = 9, .min_reader = kFtapVersion + 1});
  EXPECT_THAT(warnings_of(newer)[0], HasSubstr("written by a newer flametap, in version 9"));
  const TestRecording recording = small_recording();
  std::string chunk;
  FtapChunkMaker().make({.recording_id = 77, .sequence = 99, .version = 9, .min_reader = kFtapVersion + 1}, "?", chunk);
  EXPECT_THAT(warnings_of(recording.bytes + chunk), ElementsAre("left out: 1 chunk for newer versions of flametap"));
  EXPECT_THAT(warnings_of(file_header({.recording_id = 77}) + chunk), ElementsAre(HasSubstr("by a newer flametap")));
}

TEST(ReadFtap, UnknownSectionsAreSkipped) {
  const TestRecording recording = small_recording();
  std::string section;
  put<std::uint8_t>(section, 200);
  put<std::uint32_t>(section, 3);
  section += "abc";
  std::string chunk;
  FtapChunkMaker().make({.recording_id = 77, .sequence = 4, .version = 9}, section, chunk);
  EXPECT_THAT(warnings_of(recording.bytes + chunk), IsEmpty());
}

// A chunk with a good checksum whose only section is this.
std::vector<std::string> warnings_of_section(FtapSection kind, const std::string& content) {
  std::string section;
  put<std::uint8_t>(section, static_cast<std::uint8_t>(kind));
  put<std::uint32_t>(section, static_cast<std::uint32_t>(content.size()));
  section += content;
  std::string chunk;
  FtapChunkMaker().make({.recording_id = 77, .sequence = 99, .last = true}, section, chunk);
  return warnings_of(small_recording().bytes + chunk);
}

std::string rows(std::uint32_t first, std::uint32_t count, std::vector<std::vector<std::uint64_t>> columns) {
  std::string content;
  put<std::uint32_t>(content, first);
  put<std::uint32_t>(content, count);
  for (const std::vector<std::uint64_t>& column : columns) put_column(content, column);
  return content;
}

TEST(ReadFtap, WhatCannotBeIsRefusedAndSaid) {
  const std::string absurd = "left out, at least in part: 1 chunk with a content that cannot be";
  const std::vector<std::pair<FtapSection, std::string>> cases = {
      {FtapSection::stacks, rows(50, 1, {{0}, {0}})},               // its own parent
      {FtapSection::stacks, rows(50, 1, {{51}, {0}})},              // before the first
      {FtapSection::stacks, rows(50, 2, {{1}, {0}})},               // fewer rows than said
      {FtapSection::stacks, rows(0xffff'ff00, 1, {{1}, {0}})},      // an id that the file is too small for
      {FtapSection::frames, rows(50, 1, {{0}, {1u << 31}})},        // no such line
      {FtapSection::functions, rows(50, 1, {{0}, {0}, {0}, {5}})},  // no such kind
      {FtapSection::functions, rows(50, 1, {{0}, {0}, {0}, {2}, {1ull << 40}})},
      {FtapSection::functions, rows(50, 1, {{1ull << 40}, {0}, {0}, {0}})},
      {FtapSection::strings, rows(50, 0xffff'ffff, {})},
      {FtapSection::strings, rows(50, 1, {{99}})},  // longer than the section
      {FtapSection::recording, ""},
      {FtapSection::samples, ""},
  };
  for (const auto& [kind, content] : cases) {
    EXPECT_THAT(warnings_of_section(kind, content), ::testing::Contains(absurd)) << static_cast<int>(kind);
  }
}

TEST(ReadFtap, FunctionsOfVersionOneHaveNoModules) {
  EXPECT_THAT(warnings_of_section(FtapSection::functions, rows(50, 1, {{0}, {0}, {0}, {0}})),
              Not(::testing::Contains(HasSubstr("cannot be"))));
}

TEST(ReadFtap, OnlyChunksWithNativeFramesAreNotForOlderReaders) {
  const auto min_reader = [](const std::string& bytes, std::size_t chunk_begin) {
    const Bytes all = std::as_bytes(std::span(bytes));
    return parse_chunk_header(all.subspan(chunk_begin, kFtapChunkHeaderBytes))->min_reader;
  };
  TestRecording recording;
  const profile::ThreadId thread = recording.tables.thread("MainThread", 7);
  recording.sample(thread, {"main"});
  recording.checkpoint();
  recording.sample(thread, {"main", {"read", profile::FrameKind::kernel, "[kernel]"}});
  recording.checkpoint();
  recording.sample(thread, {"main"});
  recording.checkpoint();
  EXPECT_EQ(min_reader(recording.bytes, kFtapFileHeaderBytes), 1);
  EXPECT_EQ(min_reader(recording.bytes, recording.chunks[0].end), 2);
  EXPECT_EQ(min_reader(recording.bytes, recording.chunks[1].end), 2) << "it may repeat what an older one cannot read";
  EXPECT_EQ(read_bytes(recording.bytes)->profile.samples().size(), 3u);
}

TEST(ReadFtap, StacksOfAbsurdDepthAreLost) {
  profile::TestProfile test;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  const profile::StackId first = test.stack({"f"});
  profile::StackId stack = first;
  for (int i = 0; i < 70'000; ++i) stack = test.profile.push(stack, profile::FrameId{0});
  test.profile.add(Sample{0, 1, thread, stack, 1, 0});
  const Result<ReadProfile> read = read_bytes(write_ftap(test.profile));
  ASSERT_TRUE(read.ok());
  EXPECT_LE(read->profile.frames_of(read->profile.samples()[0].stack).size(), 65'536u);
  EXPECT_THAT(read->warnings, ::testing::Contains(HasSubstr("(lost)")));
}

TEST(ReadFtap, SumsCannotOverflow) {
  profile::TestProfile test;
  const profile::ThreadId thread = test.thread("MainThread", 7);
  for (int i = 0; i < 3; ++i) {
    test.profile.add(Sample{0, std::uint64_t{1} << 62, thread, test.stack({"f"}), std::uint64_t{1} << 62, 0});
  }
  const Result<ReadProfile> read = read_bytes(write_ftap(test.profile));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->profile.samples().size(), 1u);
  EXPECT_FALSE(read->warnings.empty());
}

TEST(ReadFtap, WhatIsNoRecordingIsAnError) {
  EXPECT_FALSE(read_bytes("").ok());
  EXPECT_FALSE(read_bytes("hello").ok());
  EXPECT_FALSE(read_bytes(std::string(100'000, '\xd3')).ok());
  const std::string only_header = file_header({.recording_id = 1});
  EXPECT_THAT(warnings_of(only_header)[0], HasSubstr("cut off before the first one"));
}

// Markers everywhere, each of a chunk that reaches far: reading is not to take the square of that.
TEST(ReadFtap, OverlappingFalseChunksAreReadInReasonableWork) {
  std::string chunk;
  FtapChunkMaker().make({.recording_id = 77}, "", chunk);
  std::string head = chunk.substr(0, kFtapChunkHeaderBytes);
  const std::uint32_t far = 4'000'000;
  std::memcpy(head.data() + 20, &far, sizeof far);
  std::string bytes;
  while (bytes.size() < 16'000'000) bytes += head;
  EXPECT_FALSE(read_bytes(bytes).ok());
}

}  // namespace
}  // namespace flametap::format
