// Code objects that a reading meets outside of its plan: seldom met, never met, or replaced by another one.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cpython/confirmation.h"
#include "cpython/every_layout.h"
#include "cpython/fake_interpreter.h"
#include "cpython/stack_reader.h"

namespace flametap::cpython {
namespace {

using target::Address;
using Names = std::vector<std::string>;

// All memory of a fake interpreter as it is now.
class Snapshot final : public target::Memory {
 public:
  explicit Snapshot(FakeInterpreter& python) {
    const std::uint64_t end = target::to_number(python.allocate(8));
    bytes_.resize(end - kStart);
    for (std::uint64_t at = 0; at + kPiece <= bytes_.size(); at += kPiece) {
      (void)python.memory().read(Address{kStart + at}, std::span(bytes_).subspan(at, kPiece));
    }
  }

  using Memory::read;
  [[nodiscard]] target::ReadResult read(std::span<const target::Segment> segments) override {
    for (const target::Segment& segment : segments) {
      const std::uint64_t at = target::to_number(segment.from) - kStart;
      const bool known = at <= bytes_.size() && segment.to.size() <= bytes_.size() - at;
      if (!known || segment.from == hidden_) return {target::ReadStatus::unmapped, 0};
      std::ranges::copy(std::span(bytes_).subspan(at, segment.to.size()), segment.to.begin());
    }
    return {target::ReadStatus::ok, segments.size()};
  }

  // As if its line table were too long.
  void hide_texts_of(Address code, const Layout& layout) {
    Address table{};
    ASSERT_EQ(read_value(code + layout.code.line_table, table), target::ReadStatus::ok);
    hidden_ = table + layout.bytes.length;
  }

 private:
  static constexpr std::uint64_t kStart = 0x10'0000;  // where the fake allocates
  static constexpr std::uint64_t kPiece = 8;
  std::vector<std::byte> bytes_;
  Address hidden_{};
};

class LateCodesTest : public testing::TestWithParam<const Layout*> {
 protected:
  LateCodesTest() : python_(*GetParam()), thread_(python_.add_thread(0x7000, 42)) {
    for (const char* name : {"outer", "middle"}) python_.call(thread_, make(name));
    older_ = make("older");
    python_.call(thread_, make("leaf"));
    EXPECT_EQ(reader_.read(), Reading::unknown);
    EXPECT_EQ(reader_.learn_and_read(), Reading::verified);
  }

  Address make(const std::string& name) { return python_.make_code(name, name + ".py", 7); }
  bool has_versions() const { return GetParam()->code.unique_version != kAbsent; }

  // The innermost function returns, and another one is called: in the same frame.
  void call_instead(Address code) {
    if (GetParam()->thread.stack_chunk != kAbsent) {
      python_.return_from(thread_);
      python_.call(thread_, code);
    } else {
      python_.put(thread_.frames.back() + GetParam()->frame.code, target::to_number(code));
    }
  }
  Names names() const {
    Names names;
    for (const CodeFrame& frame : reader_.frames()) names.push_back(codes_[frame.code].name);
    return names;
  }

  FakeInterpreter python_;
  FakeInterpreter::Thread& thread_;
  CodeCache codes_{python_.layout()};
  StackReader reader_{python_.memory(), python_.layout(), codes_, thread_.state, {}};
  Address older_{};  // than what the reader knows
};

TEST_P(LateCodesTest, WhatIsNewIsReadOnceMoreWhileTheThreadStandsStill) {
  call_instead(make("newer"));
  ASSERT_EQ(reader_.read(), Reading::unknown);
  EXPECT_EQ(reader_.complete(), Reading::unknown);  // it may have been made after that reading
  ASSERT_EQ(reader_.learn_and_read(), Reading::verified);
  EXPECT_EQ(names(), (Names{"newer", "middle", "outer"}));
}

// It may have been freed since, and its names be others' by now, though its number is still there.
TEST_P(LateCodesTest, WhatIsNewAndWasNotFollowedIsNotLoadedAfterTheInstant) {
  call_instead(older_);
  ASSERT_EQ(reader_.read_instant(python_.memory(), nullptr), Reading::unknown);
  EXPECT_EQ(reader_.complete(), Reading::unknown);
}

TEST_P(LateCodesTest, WhatWasMadeAtItsPlaceMeanwhileIsNotIt) {
  call_instead(older_);
  ASSERT_EQ(reader_.read_instant(python_.memory(), nullptr), Reading::unknown);
  python_.remake_code(older_, "other", "other.py", 7);
  EXPECT_EQ(reader_.complete(), Reading::unknown);
}

TEST_P(LateCodesTest, WhatWasFollowedInTheInstantIsKnown) {
  ASSERT_TRUE(reader_.trail().has_value());
  const Address newer = make("newer");
  python_.return_from(thread_);
  python_.call(thread_, make("new"));
  python_.call(thread_, newer);
  Snapshot instant(python_);
  ASSERT_EQ(reader_.read_instant(python_.memory(), &instant), Reading::unknown);
  python_.return_from(thread_);
  python_.return_from(thread_);
  ASSERT_EQ(reader_.complete(), Reading::verified);
  EXPECT_EQ(names(), (Names{"newer", "new", "middle", "outer"}));
  EXPECT_EQ(codes_[reader_.frames()[0].code].file, "newer.py");
}

TEST_P(LateCodesTest, OfWhatHasANumberTheTextsAreNeededOnce) {
  const Address newer = make("newer");
  call_instead(newer);
  Snapshot instant(python_);
  ASSERT_EQ(reader_.read_instant(python_.memory(), &instant), Reading::unknown);
  ASSERT_EQ(reader_.complete(), Reading::verified);
  EXPECT_EQ(std::ranges::count(reader_.trail()->known, newer, &target::Trail::Known::code), has_versions() ? 1 : 0);
}

TEST_P(LateCodesTest, WhatWasFollowedMayBeGone) {
  const Address newer = make("newer");
  call_instead(newer);
  Snapshot instant(python_);
  ASSERT_EQ(reader_.read_instant(python_.memory(), &instant), Reading::unknown);
  python_.remake_code(newer, "other", "other.py", 7);
  ASSERT_EQ(reader_.complete(), Reading::verified);
  EXPECT_EQ(names(), (Names{"newer", "middle", "outer"}));
}

TEST_P(LateCodesTest, WhatIsTooLongToBeFollowedIsNotTakenFromElsewhere) {
  const Address newer = make("newer");
  call_instead(newer);
  Snapshot instant(python_);
  instant.hide_texts_of(newer, *GetParam());
  ASSERT_EQ(reader_.read_instant(python_.memory(), &instant), Reading::unknown);
  EXPECT_EQ(reader_.complete(), Reading::unknown);
}

TEST_P(LateCodesTest, WhatWasReplacedBeforeTheInstantIsFollowed) {
  call_instead(older_);
  for (int i = 0; i < 2 && reader_.read() != Reading::verified; ++i) (void)reader_.learn_and_read();
  reader_.learn();
  python_.remake_code(older_, "other", "other.py", 7);
  Snapshot instant(python_);
  ASSERT_EQ(reader_.read_instant(python_.memory(), &instant), Reading::unknown);
  ASSERT_EQ(reader_.complete(), Reading::verified);
  EXPECT_EQ(names(), (Names{"other", "middle", "outer"}));
}

TEST_P(LateCodesTest, WhatWasReplacedIsLoadedAnew) {
  call_instead(older_);
  ASSERT_EQ(reader_.read(), Reading::unknown);
  ASSERT_EQ(reader_.learn_and_read(), Reading::verified);
  python_.remake_code(older_, "other", "other.py", 7);
  ASSERT_EQ(reader_.read(), Reading::unknown);
  if (!has_versions()) {
    EXPECT_EQ(reader_.learn_and_read(), Reading::unknown);  // now we know that it is not what it was
  }
  ASSERT_EQ(reader_.learn_and_read(), Reading::verified);
  EXPECT_EQ(names(), (Names{"other", "middle", "outer"}));
}

TEST_P(LateCodesTest, WhateverWasReplacedIsLoadedAnewAtOnce) {
  const std::vector<Address> codes{make("one"), make("two"), make("three"), make("four"), make("five")};
  for (const Address code : codes) python_.call(thread_, code);
  ASSERT_EQ(reader_.read(), Reading::unknown);
  for (int i = 0; i < 3 && reader_.learn_and_read() != Reading::verified; ++i) {
  }
  for (const Address code : codes) python_.remake_code(code, "other", "other.py", 7);
  ASSERT_EQ(reader_.read(), Reading::unknown);
  for (int i = 0; i < 2 && reader_.learn_and_read() != Reading::verified; ++i) {
  }
  EXPECT_EQ(names(), (Names{"other", "other", "other", "other", "other", "leaf", "middle", "outer"}));
}

// Frames that are objects of their own: the stack leaves what is known, and comes back to it, more than once.
TEST_P(LateCodesTest, NewFramesBetweenKnownOnesAreFoundAtOnce) {
  if (GetParam()->thread.stack_chunk != kAbsent) return;  // they lie one after the other
  const std::vector<Address> known = thread_.frames;      // outer, middle, leaf
  python_.call(thread_, make("between"));
  const Address between = thread_.frames.back();
  python_.call(thread_, make("last"));
  const auto link = [&](Address frame, Address previous) {
    python_.put(frame + GetParam()->frame.previous, target::to_number(previous));
  };
  link(between, known[1]);
  link(known[2], between);
  link(thread_.frames.back(), known[2]);
  ASSERT_EQ(reader_.read(), Reading::unknown);
  ASSERT_EQ(reader_.learn_and_read(), Reading::verified);
  EXPECT_EQ(names(), (Names{"last", "leaf", "between", "middle", "outer"}));
}

// However many there are: the plan stays small, and what it leaves out costs one call more.
TEST_P(LateCodesTest, ManyFunctionsAreAllKnown) {
  std::vector<Address> many;
  for (int i = 0; i < 300; ++i) many.push_back(make("f" + std::to_string(i)));
  const Address newest = make("newest");
  call_instead(newest);
  for (int i = 0; i < 3 && reader_.read() != Reading::verified; ++i) (void)reader_.learn_and_read();
  for (int turn = 0; turn < 2; ++turn) {
    for (std::size_t i = 0; i < many.size(); ++i) {
      call_instead(many[i]);
      if (reader_.old()) reader_.learn();
      Reading reading = reader_.read();
      // Before there were numbers, it is not enough to have met it.
      if (turn == 0 || !has_versions()) {
        if (reading == Reading::unknown) reading = reader_.complete();
        if (reading == Reading::unknown) reading = reader_.learn_and_read();
      }
      ASSERT_EQ(reading, Reading::verified) << i;
      ASSERT_EQ(names(), (Names{"f" + std::to_string(i), "middle", "outer"}));
    }
  }
  if (!has_versions()) return;
  python_.memory().reset_counts();
  call_instead(many[0]);
  ASSERT_EQ(reader_.read(), Reading::verified);
  EXPECT_LE(python_.memory().segments_read(), 200u);
}

INSTANTIATE_TEST_SUITE_P(EveryLayout, LateCodesTest, testing::ValuesIn(every_layout()), layout_name);

TEST(ConfirmationTest, HasRoomForSoManyAndNoMore) {
  Confirmation confirmation;
  KnownCode known;
  known.witnesses = {{Address{0x1000}, 4, 0}};
  known.expected.resize(4);
  for (std::size_t i = 0; i < Confirmation::kMaxCodes; ++i) ASSERT_TRUE(confirmation.ask(Address{i + 1}, known));
  EXPECT_FALSE(confirmation.ask(Address{99}, known));
  confirmation.clear();
  EXPECT_TRUE(confirmation.ask(Address{99}, known));
}

TEST(ConfirmationTest, ReadsWhatLiesTogetherAtOnce) {
  target::FakeMemory memory;
  memory.map(Address{0x1000}, 0x2000);
  Confirmation confirmation;
  KnownCode known;
  known.witnesses = {
      {Address{0x1000}, 8, 0}, {Address{0x1004}, 8, 0}, {Address{0x1040}, 4, 0}, {Address{0x2000}, 4, 0}};
  known.expected.resize(8);
  ASSERT_TRUE(confirmation.ask(Address{1}, known));
  ASSERT_TRUE(confirmation.ask(Address{2}, known));
  EXPECT_EQ(confirmation.segments().size(), 4u);
  ASSERT_EQ(memory.read(confirmation.segments()).status, target::ReadStatus::ok);
  EXPECT_TRUE(confirmation.confirmed(Address{1}, known));
  EXPECT_FALSE(confirmation.confirmed(Address{3}, known));
  memory.put(Address{0x2003}, std::uint8_t{1});
  ASSERT_EQ(memory.read(confirmation.segments()).status, target::ReadStatus::ok);
  EXPECT_FALSE(confirmation.confirmed(Address{2}, known));
}

}  // namespace
}  // namespace flametap::cpython
