#include "tracer/record_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace flametap::tracer {
namespace {

using events::Event;
using events::Kind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr std::uint32_t kPid = 100;
constexpr std::uint32_t kTid = 101;
constexpr std::size_t kLongest = FLAMETAP_TEXT_LIMIT - 1;

// Answers what it was told to, and remembers what it was asked.
class FakeTarget : public RecordReader::Target {
 public:
  std::string describe(pid_t pid, const flametap_capture& capture) override {
    described.emplace_back(pid, capture.object);
    last_capture = capture;
    return arguments;
  }
  std::string read_constant(pid_t pid, std::uint64_t address) override {
    constants_read.emplace_back(pid, address);
    return constant;
  }

  std::string arguments = "('first',)";
  std::string constant;
  std::vector<std::pair<pid_t, std::uint64_t>> described;
  std::vector<std::pair<pid_t, std::uint64_t>> constants_read;
  flametap_capture last_capture{};
};

struct Texts {
  std::string_view file{};
  std::string_view function{};
  std::string_view name{};
};

// A record as the kernel lays it out.
std::vector<std::byte> bytes_of(flametap_record header, const Texts& texts = {}) {
  header.text_sizes[FLAMETAP_FILE] = static_cast<std::uint16_t>(texts.file.size());
  header.text_sizes[FLAMETAP_FUNCTION] = static_cast<std::uint16_t>(texts.function.size());
  header.text_sizes[FLAMETAP_NAME] = static_cast<std::uint16_t>(texts.name.size());
  const std::string all = std::string(texts.file).append(texts.function).append(texts.name);
  std::vector<std::byte> bytes(sizeof header + all.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  std::ranges::copy(std::as_bytes(std::span{all}), bytes.begin() + sizeof header);
  return bytes;
}

flametap_record header_of(flametap_kind kind, std::uint32_t sequence) {
  flametap_record header{};
  header.time = 1000 + sequence;
  header.pid = kPid;
  header.tid = kTid;
  header.sequence = sequence;
  header.kind = kind;
  return header;
}

std::vector<std::byte> capture_of(std::uint32_t sequence, std::int64_t pieces, std::size_t sent) {
  flametap_capture capture{};
  capture.record = header_of(FLAMETAP_CAPTURE, sequence);
  capture.record.value = pieces;
  capture.object = 0xAA00;
  for (flametap_piece& piece : capture.pieces) piece.size = ~std::uint64_t{0};
  std::vector<std::byte> bytes(offsetof(flametap_capture, pieces) + sent * sizeof(flametap_piece));
  std::memcpy(bytes.data(), &capture, bytes.size());
  return bytes;
}

class RecordReaderTest : public testing::Test {
 protected:
  std::vector<Event> read(const std::vector<std::byte>& record) {
    const auto events = reader_.read(record);
    return {events.begin(), events.end()};
  }
  std::vector<Event> read(const flametap_record& header, const Texts& texts = {}) {
    return read(bytes_of(header, texts));
  }
  // One that stands for exactly one event.
  Event read_one(const flametap_record& header, const Texts& texts = {}) {
    const std::vector<Event> events = read(header, texts);
    EXPECT_EQ(events.size(), 1u);
    return events.empty() ? Event{} : events.front();
  }
  std::string function_of(std::string_view bytes) {
    return std::string(read_one(header_of(FLAMETAP_CALL, next_++), {.function = bytes}).function);
  }
  void introduce(std::uint32_t sequence, std::string_view program, std::int64_t started = 7) {
    flametap_record header = header_of(FLAMETAP_THREAD, sequence);
    header.value = started;
    EXPECT_THAT(read(header, {.file = program}), IsEmpty());
  }

  FakeTarget target_;
  RecordReader reader_{target_};
  std::uint32_t next_ = 0;
};

TEST_F(RecordReaderTest, ACall) {
  flametap_record header = header_of(FLAMETAP_CALL, 0);
  header.depth = -3;
  header.line = 42;
  header.value = 9;
  const Event event = read_one(header, {.file = "shop.py", .function = "buy"});
  EXPECT_EQ(event.kind, Kind::call);
  EXPECT_FALSE(event.unmarked);
  EXPECT_EQ(event.time, 1000u);
  EXPECT_EQ(event.depth, -3);
  EXPECT_EQ(event.line, 42);
  EXPECT_EQ(event.value, 9);
  EXPECT_EQ(event.file, "shop.py");
  EXPECT_EQ(event.function, "buy");
  EXPECT_EQ(event.name, "");
  EXPECT_EQ(event.thread->pid, static_cast<pid_t>(kPid));
  EXPECT_EQ(event.thread->tid, static_cast<pid_t>(kTid));
}

TEST_F(RecordReaderTest, EveryKind) {
  const std::initializer_list<std::pair<flametap_kind, Kind>> kinds = {{FLAMETAP_CALL, Kind::call},
                                                                       {FLAMETAP_CALL_END, Kind::call_end},
                                                                       {FLAMETAP_LINE, Kind::line},
                                                                       {FLAMETAP_GC_START, Kind::gc_start},
                                                                       {FLAMETAP_GC_DONE, Kind::gc_done},
                                                                       {FLAMETAP_IMPORT_START, Kind::import_start},
                                                                       {FLAMETAP_IMPORT_DONE, Kind::import_done},
                                                                       {FLAMETAP_AUDIT, Kind::audit},
                                                                       {FLAMETAP_THREAD_END, Kind::thread_end}};
  for (const auto& [sent, expected] : kinds) {
    flametap_record header = header_of(sent, next_++);
    header.value = 5;
    const Event event = read_one(header, {.file = "a.py", .function = "f", .name = "n"});
    EXPECT_EQ(event.kind, expected);
    EXPECT_EQ(event.file, "a.py");
    EXPECT_EQ(event.function, "f");
    EXPECT_EQ(event.name, "n");
    // There it is an address of the target, which is nobody's business.
    EXPECT_EQ(event.value, expected == Kind::audit ? 0 : 5);
    EXPECT_EQ(event.lost, 0u);
  }
  EXPECT_EQ(reader_.bad(), 0u);
}

TEST_F(RecordReaderTest, TheSameTextIsTheSameMemory) {
  const Event one = read_one(header_of(FLAMETAP_CALL, 0), {.file = "a.py", .function = "caf\xC3\xA9"});
  const Event two = read_one(header_of(FLAMETAP_CALL, 1), {.file = "a.py", .function = "caf\xC3\xA9"});
  EXPECT_EQ(one.file.data(), two.file.data());
  EXPECT_EQ(one.function.data(), two.function.data());
  const Event bad = read_one(header_of(FLAMETAP_CALL, 2), {.function = "\xFF"});
  const Event again = read_one(header_of(FLAMETAP_CALL, 3), {.function = "\xFF"});
  EXPECT_EQ(bad.function.data(), again.function.data());
}

// Such bytes are shown as Latin-1.
TEST_F(RecordReaderTest, TextThatIsNoUtf8) {
  EXPECT_EQ(function_of("caf\xC3\xA9"), "café");
  EXPECT_EQ(function_of("a\xFFz"), "aÿz");
  EXPECT_EQ(function_of(std::string_view("a\0z", 3)), std::string("a\0z", 3));
}

TEST_F(RecordReaderTest, LongTextIsWholeOrSaysThatItIsCut) {
  const std::string whole(kLongest - 1, 'n');
  EXPECT_EQ(function_of(whole), whole);
  const std::string cut(kLongest, 'n');
  EXPECT_EQ(function_of(cut), cut + "…");
}

TEST_F(RecordReaderTest, TextThatIsCutInTheMiddleOfACharacter) {
  for (const std::string character : {"é", "€", "😀"}) {
    for (std::size_t kept = 1; kept <= character.size(); ++kept) {
      const std::string before(kLongest - kept, 'n');
      const bool is_whole = kept == character.size();
      EXPECT_EQ(function_of(before + character.substr(0, kept)), before + (is_whole ? character : "") + "…")
          << character << " " << kept;
    }
  }
}

TEST_F(RecordReaderTest, CutTextThatNeverWasUtf8) {
  const std::string name = function_of(std::string(kLongest, '\x80'));
  EXPECT_TRUE(name.starts_with("\xC2\x80\xC2\x80"));
  EXPECT_TRUE(name.ends_with("…"));
}

TEST_F(RecordReaderTest, WhatIsLostIsTold) {
  introduce(0, "python3");
  EXPECT_EQ(read_one(header_of(FLAMETAP_CALL, 1)).lost, 0u);
  EXPECT_EQ(read_one(header_of(FLAMETAP_CALL, 5)).lost, 3u);
  EXPECT_EQ(read_one(header_of(FLAMETAP_CALL, 6)).lost, 0u);
}

TEST_F(RecordReaderTest, TheNumbersOfRecordsMayStartAgainFromNought) {
  introduce(0xFFFF'FFFD, "python3");
  EXPECT_EQ(read_one(header_of(FLAMETAP_CALL, 0xFFFF'FFFE)).lost, 0u);
  EXPECT_EQ(read_one(header_of(FLAMETAP_CALL, 1)).lost, 2u);
}

TEST_F(RecordReaderTest, ALostIntroduction) {
  const Event event = read_one(header_of(FLAMETAP_CALL, 1), {.function = "f"});
  EXPECT_EQ(event.lost, 1u);
  EXPECT_EQ(event.thread->program, "python");
  EXPECT_EQ(event.thread->name, "");
  EXPECT_THAT(reader_.take_newcomers(), IsEmpty());
}

TEST_F(RecordReaderTest, IntroducedThreads) {
  introduce(0, "uwsgi", 12345);
  const auto newcomers = reader_.take_newcomers();
  ASSERT_EQ(newcomers.size(), 1u);
  EXPECT_EQ(newcomers[0].thread->program, "uwsgi");
  EXPECT_EQ(newcomers[0].key.started, 12345u);
  EXPECT_EQ(newcomers[0].key.tid, kTid);
  EXPECT_THAT(reader_.take_newcomers(), IsEmpty());
  EXPECT_EQ(read_one(header_of(FLAMETAP_CALL, 1)).thread, newcomers[0].thread);
}

TEST_F(RecordReaderTest, AProgramWithoutAName) {
  introduce(0, "");
  EXPECT_EQ(reader_.take_newcomers().at(0).thread->program, "python");
  introduce(1, "a\xFF");
  EXPECT_EQ(reader_.take_newcomers().at(0).thread->program, "aÿ");
}

TEST_F(RecordReaderTest, AnotherThreadUnderTheSameNumber) {
  introduce(0, "before");
  const Event before = read_one(header_of(FLAMETAP_CALL, 1));
  introduce(0, "after");
  const Event after = read_one(header_of(FLAMETAP_CALL, 1));
  EXPECT_NE(before.thread, after.thread);
  EXPECT_EQ(after.thread->program, "after");
  EXPECT_EQ(after.lost, 0u);
  // Its events may still be on their way.
  EXPECT_EQ(before.thread->program, "before");
}

TEST_F(RecordReaderTest, TheSameNumberInAnotherProcess) {
  const Event one = read_one(header_of(FLAMETAP_CALL, 0));
  flametap_record header = header_of(FLAMETAP_CALL, 0);
  header.pid = kPid + 1;
  const Event other = read_one(header);
  EXPECT_NE(one.thread, other.thread);
  EXPECT_EQ(other.lost, 0u);
}

TEST_F(RecordReaderTest, TextsThatCouldNotBeRead) {
  flametap_record header = header_of(FLAMETAP_CALL, 0);
  header.flags = FLAMETAP_UNREAD;
  const Event call = read_one(header, {.file = "a.py"});
  EXPECT_EQ(call.file, "a.py");
  EXPECT_EQ(call.function, "?");
  EXPECT_EQ(call.name, "");
  EXPECT_EQ(reader_.unnamed(), 1u);
  // The function in which something happened need not be known.
  header.kind = FLAMETAP_IMPORT_START;
  header.sequence = 1;
  const Event import = read_one(header);
  EXPECT_EQ(import.function, "");
  EXPECT_EQ(import.name, "?");
  EXPECT_EQ(reader_.unnamed(), 2u);
  header.kind = FLAMETAP_GC_START;
  header.sequence = 2;
  EXPECT_EQ(read_one(header).function, "");
  EXPECT_EQ(reader_.unnamed(), 2u);
}

TEST_F(RecordReaderTest, NoNameAtAllIsNothingUnread) {
  const Event event = read_one(header_of(FLAMETAP_CALL, 0));
  EXPECT_EQ(event.function, "");
  EXPECT_EQ(reader_.unnamed(), 0u);
}

TEST_F(RecordReaderTest, TheNameOfAnAuditEventIsAConstantOfTheProgram) {
  flametap_record header = header_of(FLAMETAP_AUDIT, 0);
  header.flags = FLAMETAP_UNREAD;
  header.value = 0xBB00;
  target_.constant = "open";
  EXPECT_EQ(read_one(header).name, "open");
  EXPECT_THAT(target_.constants_read, ElementsAre(Pair(kPid, 0xBB00u)));
  EXPECT_EQ(reader_.unnamed(), 0u);
  target_.constant = "";
  header.sequence = 1;
  EXPECT_EQ(read_one(header).name, "?");
  EXPECT_EQ(reader_.unnamed(), 1u);
}

TEST_F(RecordReaderTest, AnEndWithoutAMarkedBeginningIsACallAndItsEnd) {
  introduce(0, "python3");
  flametap_record header = header_of(FLAMETAP_CALL_END, 3);
  header.flags = FLAMETAP_UNMARKED;
  header.depth = 4;
  const std::vector<Event> events = read(header, {.file = "a.py", .function = "thrown"});
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, Kind::call);
  EXPECT_TRUE(events[0].unmarked);
  EXPECT_EQ(events[0].lost, 2u);
  EXPECT_EQ(events[1].kind, Kind::call_end);
  EXPECT_FALSE(events[1].unmarked);
  EXPECT_EQ(events[1].lost, 0u);
  for (const Event& event : events) {
    EXPECT_EQ(event.time, 1003u);
    EXPECT_EQ(event.depth, 4);
    EXPECT_EQ(event.function, "thrown");
  }
  header.sequence = 4;
  header.flags = 0;
  EXPECT_FALSE(read_one(header).unmarked);
}

TEST_F(RecordReaderTest, OnlyEndsCanLackTheirBeginning) {
  flametap_record header = header_of(FLAMETAP_LINE, 0);
  header.flags = FLAMETAP_UNMARKED;
  EXPECT_FALSE(read_one(header).unmarked);
}

TEST_F(RecordReaderTest, WhatWasCapturedBelongsToTheNextAuditEvent) {
  EXPECT_THAT(read(capture_of(0, 2, 2)), IsEmpty());
  EXPECT_EQ(read_one(header_of(FLAMETAP_AUDIT, 1), {.name = "open"}).arguments, "('first',)");
  EXPECT_THAT(target_.described, ElementsAre(Pair(kPid, 0xAA00u)));
  EXPECT_EQ(target_.last_capture.pieces[1].size, std::uint64_t{FLAMETAP_PIECE_BYTES});
  EXPECT_EQ(target_.last_capture.pieces[2].address, 0u);
  EXPECT_EQ(read_one(header_of(FLAMETAP_AUDIT, 2), {.name = "close"}).arguments, "");
}

TEST_F(RecordReaderTest, WhatWasCapturedNeverBelongsToAnotherAuditEvent) {
  introduce(0, "python3");
  read(capture_of(1, 1, 1));  // the event itself is lost, and the capture of the next one
  const Event event = read_one(header_of(FLAMETAP_AUDIT, 4), {.name = "another"});
  EXPECT_EQ(event.arguments, "");
  EXPECT_EQ(event.lost, 2u);
  read(capture_of(5, 1, 1));
  EXPECT_EQ(read_one(header_of(FLAMETAP_CALL, 7), {.function = "f"}).arguments, "");
  EXPECT_EQ(read_one(header_of(FLAMETAP_AUDIT, 8), {.name = "another"}).arguments, "");
}

TEST_F(RecordReaderTest, WhatWasLostBeforeACaptureIsTold) {
  introduce(0, "python3");
  read(capture_of(4, 1, 1));
  const Event event = read_one(header_of(FLAMETAP_AUDIT, 5), {.name = "open"});
  EXPECT_EQ(event.lost, 3u);
  EXPECT_EQ(event.arguments, "('first',)");
}

TEST_F(RecordReaderTest, BadCaptures) {
  read(capture_of(0, FLAMETAP_PIECES + 1, FLAMETAP_PIECES));
  read(capture_of(1, -1, 1));
  read(capture_of(2, 3, 2));
  read(capture_of(3, 0, 1));
  std::vector<std::byte> headless = capture_of(4, 0, 0);
  headless.resize(sizeof(flametap_record));
  read(headless);
  EXPECT_EQ(reader_.bad(), 5u);
  EXPECT_THAT(target_.described, IsEmpty());
  read(capture_of(5, FLAMETAP_PIECES, FLAMETAP_PIECES));
  EXPECT_EQ(reader_.bad(), 5u);
  EXPECT_EQ(target_.described.size(), 1u);
}

TEST_F(RecordReaderTest, BadRecords) {
  std::vector<std::byte> record = bytes_of(header_of(FLAMETAP_CALL, 0), {.file = "a.py", .function = "f"});
  for (std::size_t size = 0; size < record.size(); ++size) {
    EXPECT_TRUE(reader_.read(std::span(record).first(size)).empty()) << size;
    EXPECT_EQ(reader_.bad(), size + 1);
  }
  flametap_record unknown = header_of(FLAMETAP_THREAD_END, 0);
  unknown.kind = 200;
  EXPECT_THAT(read(unknown), IsEmpty());
  flametap_record long_texts = header_of(FLAMETAP_CALL, 0);
  long_texts.text_sizes[FLAMETAP_FILE] = 0xFFFF;
  long_texts.text_sizes[FLAMETAP_FUNCTION] = 0xFFFF;
  record.assign(sizeof long_texts + 0xFFFF, std::byte{});
  std::memcpy(record.data(), &long_texts, sizeof long_texts);
  const std::uint64_t before = reader_.bad();
  EXPECT_THAT(read(record), IsEmpty());
  EXPECT_EQ(reader_.bad(), before + 1);
  // None of them was counted as one of its thread.
  EXPECT_EQ(read_one(header_of(FLAMETAP_CALL, 0)).lost, 0u);
}

}  // namespace
}  // namespace flametap::tracer
