#include "target/trail.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "target/interrupter_testing.h"

namespace flametap::target {
namespace {

// As frames, what they run, and its names lie in a target.
struct Text {
  std::array<char, Trail::kTextSize> characters{};
};
struct Table {
  std::uint64_t unused = 0;
  std::uint64_t length = 2000;
  std::array<char, 2000> bytes{};
};
struct Code {
  const Table* table = nullptr;
  const Text* name = nullptr;
  std::array<std::uint64_t, 40> room{};
};
struct Frame {
  const Frame* caller = nullptr;
  const Code* code = nullptr;
  std::array<std::uint64_t, 40> room{};
};

struct Link {
  std::uint64_t unused;
  const Frame* innermost;
  const Link* around;
};

class TrailTest : public InterrupterTest {
 protected:
  TrailTest() {
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      texts_[i].characters.fill(static_cast<char>('a' + i % 26));
      codes_[i].name = &texts_[i];
      tables_[i].bytes.fill(static_cast<char>('A' + i % 26));
      codes_[i].table = &tables_[i];
      frames_[i].code = &codes_[i];
      frames_[i].caller = i + 1 < frames_.size() ? &frames_[i + 1] : nullptr;
    }
  }
  [[nodiscard]] Trail trail() const {
    return {.link = address_of(&innermost_),
            .link_inside = {},
            .next = 0,
            .code = 8,
            .code_mask = ~std::uint64_t{0},
            .table = 0,
            .table_length = 8,
            .table_data = 16,
            .texts = {8},
            .text_count = 1,
            .marks = {16},
            .mark_count = 1};
  }
  [[nodiscard]] Trail trail_from(const Link* const& link) const {
    Trail indirect = trail();
    indirect.link = address_of(&link);
    indirect.link_inside = 8;
    return indirect;
  }
  void follow(const Trail& trail) {
    const Busy busy(cpus_[1]);
    (void)read_busy(busy, {}, &trail);
  }
  // What stood there in the interrupt; 0 if that is not known.
  template <typename T>
  [[nodiscard]] T followed(const T& place) {
    T value{};
    return interrupter_->followed().read_value(address_of(&place), value) == ReadStatus::ok ? value : T{};
  }

  std::array<Text, 270> texts_;
  std::array<Table, 270> tables_;
  std::array<Code, 270> codes_;
  std::array<Frame, 270> frames_;
  const Frame* innermost_ = frames_.data();
};

TEST_F(TrailTest, LeadsToTheInnermostFramesAndWhatTheyRun) {
  follow(trail());
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(followed(frames_[i].caller), &frames_[i + 1]);
    EXPECT_EQ(followed(codes_[i].name), &texts_[i]);
    EXPECT_EQ(followed(texts_[i].characters.back()), texts_[i].characters.back());
    EXPECT_EQ(followed(tables_[i].bytes.back()), tables_[i].bytes.back());
  }
  EXPECT_EQ(followed(frames_.back().code), nullptr);  // too far
}

TEST_F(TrailTest, IsFollowedAsFarAsAskedFor) {
  Trail shorter = trail();
  shorter.steps = 3;
  follow(shorter);
  EXPECT_EQ(followed(frames_[2].code), &codes_[2]);
  EXPECT_EQ(interrupter_->steps_used(), 3u);
  EXPECT_EQ(followed(frames_[3].code), nullptr);
  EXPECT_EQ(interrupter_->steps_used(), 3u);
  follow(shorter);
  EXPECT_EQ(interrupter_->steps_used(), 0u);
}

// What a program made last often lies before memory that it has not touched yet.
class LastInMemoryTest : public TrailTest {
 protected:
  LastInMemoryTest() {
    void* const pages = mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(pages, MAP_FAILED);
    page_ = static_cast<char*>(pages);
    EXPECT_EQ(munmap(page_ + kPage, kPage), 0);
  }
  ~LastInMemoryTest() override { munmap(page_, kPage); }

  // At the end of the page; no more of it is there than so much.
  template <typename T>
  const T* last(const T& object, std::size_t size) {
    void* const place = page_ + kPage - size;
    std::memcpy(place, &object, size);
    return static_cast<const T*>(place);
  }

  char* page_ = nullptr;
};

TEST_F(LastInMemoryTest, ATextIsFollowed) {
  codes_[1].name = last(texts_[1], 96);
  follow(trail());
  EXPECT_EQ(followed(page_[kPage - 1]), texts_[1].characters[0]);
  EXPECT_EQ(followed(texts_[2].characters), texts_[2].characters);
}

TEST_F(LastInMemoryTest, AFrameIsFollowed) {
  frames_[0].caller = last(frames_[1], 96);
  follow(trail());
  EXPECT_EQ(followed(frames_[0].caller->code), &codes_[1]);
  EXPECT_EQ(followed(frames_[2].code), &codes_[2]);
}

TEST_F(LastInMemoryTest, WhatAFrameRunsIsFollowed) {
  frames_[1].code = last(codes_[1], 96);
  follow(trail());
  EXPECT_EQ(followed(frames_[1].code->name), &texts_[1]);
  EXPECT_EQ(followed(texts_[1].characters), texts_[1].characters);
}

TEST_F(TrailTest, IsForgottenWithTheNextReading) {
  follow(trail());
  const Busy busy(cpus_[1]);
  (void)read_busy(busy, {});
  EXPECT_EQ(followed(frames_[0].caller), nullptr);
}

TEST_F(TrailTest, LeavesOutTablesThatAreTooLong) {
  tables_[1].length = Trail::kTableSize;
  follow(trail());
  EXPECT_EQ(followed(tables_[0].length), tables_[0].length);
  EXPECT_EQ(followed(tables_[1].length), 0u);
  EXPECT_EQ(followed(codes_[1].table), &tables_[1]);
}

TEST_F(TrailTest, SkipsTheTextsOfWhatIsKnown) {
  codes_[0].room[0] = 5;
  codes_[2].room[0] = 6;
  codes_[3].room[0] = 7;
  const std::array known = {Trail::Known{address_of(&codes_[0]), {5}}, Trail::Known{address_of(&codes_[2]), {6}},
                            Trail::Known{address_of(&codes_[3]), {8}}};
  Trail shorter = trail();
  shorter.known = known;
  follow(shorter);
  EXPECT_EQ(followed(codes_[2].name), &texts_[2]);
  EXPECT_EQ(followed(texts_[0].characters.back()), 0);
  EXPECT_EQ(followed(texts_[2].characters.back()), 0);
  EXPECT_EQ(followed(texts_[3].characters.back()), texts_[3].characters.back());  // it is another one now
}

TEST_F(TrailTest, TellsWhatIsKnownByAllOfItsMarks) {
  std::array<Trail::Known, 4> known{};
  for (std::uint32_t i = 0; i < known.size(); ++i) {
    std::ranges::copy(std::array{11u, 22u, 33u}, codes_[i].room.begin());
    known[i] = {address_of(&codes_[i]), {11, 22, 33}};
  }
  for (std::size_t i = 0; i < 3; ++i) codes_[i].room[i] = 44;
  Trail marked = trail();
  marked.marks = {16, 24, 32};
  marked.mark_count = 3;
  marked.known = known;
  follow(marked);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(followed(texts_[i].characters), texts_[i].characters) << i;
  EXPECT_EQ(followed(texts_[3].characters.back()), 0);
}

TEST_F(TrailTest, TagsOfPointersAreCutOff) {
  frames_[0].code = reinterpret_cast<const Code*>(reinterpret_cast<std::uintptr_t>(&codes_[0]) | 1);
  Trail tagged = trail();
  tagged.code_mask = ~std::uint64_t{1};
  follow(tagged);
  EXPECT_EQ(followed(codes_[0].name), &texts_[0]);
}

TEST_F(TrailTest, MayBeginElsewhere) {
  const Link outermost{0, &frames_[5], nullptr};
  const Link outer{0, &frames_[4], &outermost};
  const Link inner{0, &frames_[3], &outer};
  const Link* const link = &inner;
  Trail indirect = trail_from(link);
  follow(indirect);
  EXPECT_EQ(followed(inner.innermost), &frames_[3]);
  EXPECT_EQ(followed(inner.around), &outer);
  EXPECT_EQ(followed(outer.innermost), &frames_[4]);
  EXPECT_EQ(followed(outermost.innermost), nullptr);
  EXPECT_EQ(followed(frames_[3].caller), &frames_[4]);
  EXPECT_EQ(followed(frames_[0].caller), nullptr);
}

TEST_F(TrailTest, MayEndWhereTheFirstFrameIsWritten) {
  const Link outer{0, &frames_[4], nullptr};
  const Link inner{0, &frames_[3], &outer};
  const Link* const link = &inner;
  Trail no_further = trail_from(link);
  no_further.steps = 0;
  follow(no_further);
  EXPECT_EQ(followed(inner.innermost), &frames_[3]);
  EXPECT_EQ(followed(outer.innermost), &frames_[4]);
  EXPECT_EQ(followed(frames_[3].caller), nullptr);
  EXPECT_EQ(interrupter_->steps_used(), 0u);
}

TEST_F(TrailTest, MayLeadToNothingAround) {
  const Link inner{0, &frames_[3], nullptr};
  const Link* link = &inner;
  Trail indirect = trail_from(link);
  follow(indirect);
  EXPECT_EQ(followed(inner.innermost), &frames_[3]);
  EXPECT_EQ(followed(frames_[3].caller), &frames_[4]);
  link = nullptr;
  follow(indirect);
  EXPECT_EQ(followed(inner.innermost), nullptr);
  EXPECT_EQ(followed(frames_[3].caller), nullptr);
}

TEST_F(TrailTest, TellsWhatTheFramesLieIn) {
  struct {
    std::uint64_t previous;
    std::uint64_t size;
  } chunk{1, 2};
  std::array<std::byte, Trail::kHomeSize> room{};
  std::memcpy(room.data(), &chunk, sizeof chunk);
  const void* const link = room.data();
  Trail at_home = trail();
  at_home.home = address_of(&link);
  follow(at_home);
  EXPECT_EQ(followed(room), room);
  follow(trail());
  EXPECT_NE(followed(room), room);
}

TEST_F(TrailTest, EndsWhereItLeadsNowhere) {
  frames_[1].caller = reinterpret_cast<const Frame*>(8);
  codes_[0].name = reinterpret_cast<const Text*>(8);
  frames_[1].code = reinterpret_cast<const Code*>(8);
  follow(trail());
  EXPECT_EQ(followed(codes_[0].name), codes_[0].name);
  EXPECT_EQ(followed(texts_[0].characters.back()), 0);
  EXPECT_EQ(followed(frames_[1].caller), frames_[1].caller);
  EXPECT_EQ(followed(codes_[1].name), nullptr);
  EXPECT_EQ(followed(frames_[2].caller), nullptr);
}

}  // namespace
}  // namespace flametap::target
