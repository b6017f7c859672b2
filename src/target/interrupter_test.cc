#include "target/interrupter.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "base/test_effort.h"
#include "bpf/interrupt.h"
#include "target/interrupter_testing.h"

namespace flametap::target {
namespace {

// Read from outside, the two would be many steps apart, in either direction, nearly every time.
TEST_F(InterrupterTest, AllOfTheCopyIsOfOneInstant) {
  const Busy busy(cpus_[1]);
  for (int i = 0; i < times(200, 1000); ++i) {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    const std::array segments = {segment_of(const_cast<const std::uint64_t&>(busy.first), first),
                                 segment_of(const_cast<const std::uint64_t&>(busy.second), second)};
    ASSERT_EQ(read_busy(busy, segments).status, ReadStatus::ok);
    ASSERT_TRUE(first == second || first == second + 1) << first << " " << second;
  }
}

TEST_F(InterrupterTest, LargeSegmentsAreWhole) {
  const Busy busy(cpus_[1]);
  std::vector<std::uint8_t> large(100'000);
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
  std::vector<std::uint8_t> copy(large.size());
  const Segment segment{address_of(large.data()), std::as_writable_bytes(std::span(copy))};
  EXPECT_EQ(read_busy(busy, {&segment, 1}).status, ReadStatus::ok);
  EXPECT_EQ(copy, large);
}

TEST_F(InterrupterTest, AThreadThatIsNotThereIsElsewhere) {
  std::uint64_t word = 0;
  const std::uint64_t from = 7;
  const std::array segments = {segment_of(from, word)};
  EXPECT_EQ(interrupter_->read(cpus_[1], gettid(), segments).status, ReadStatus::elsewhere);
  EXPECT_EQ(interrupter_->read(1'000'000, gettid(), segments).status, ReadStatus::elsewhere);  // no such CPU
  EXPECT_EQ(word, 0u);
}

TEST_F(InterrupterTest, WhatIsNotMappedEndsTheCopy) {
  const Busy busy(cpus_[1]);
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  const std::array segments = {segment_of(const_cast<const std::uint64_t&>(busy.first), first),
                               Segment{Address{8}, std::as_writable_bytes(std::span{&second, 1})}};
  const ReadResult result = read_busy(busy, segments);
  EXPECT_EQ(result.status, ReadStatus::unmapped);
  EXPECT_EQ(result.filled, 1u);
}

TEST_F(InterrupterTest, WhatIsOptionalMayBeMissing) {
  const Busy busy(cpus_[1]);
  std::uint64_t missing = 7;
  std::uint64_t word = 0;
  const std::uint64_t from = 9;
  const std::array segments = {Segment{Address{8}, std::as_writable_bytes(std::span{&missing, 1}), true},
                               segment_of(from, word)};
  const ReadResult result = read_busy(busy, segments);
  EXPECT_EQ(result.status, ReadStatus::ok);
  EXPECT_EQ(result.filled, 2u);
  EXPECT_EQ(result.missing, 1u);
  EXPECT_EQ(missing, 0u);
  EXPECT_EQ(word, 9u);
}

TEST_F(InterrupterTest, CopiesAsMuchAsItMay) {
  const Busy busy(cpus_[1]);
  std::vector<std::byte> from(FLAMETAP_COPY_LIMIT);
  for (std::size_t i = 0; i < from.size(); i += 1021) from[i] = static_cast<std::byte>(i * 7);
  std::vector<std::byte> to(from.size());
  const Segment segment{address_of(from.data()), to};
  EXPECT_EQ(read_busy(busy, {&segment, 1}).status, ReadStatus::ok);
  EXPECT_TRUE(to == from);
}

TEST_F(InterrupterTest, TooMuchIsRefused) {
  const Busy busy(cpus_[1]);
  std::vector<std::byte> large(FLAMETAP_COPY_LIMIT + 1);
  const Segment segment{address_of(large.data()), large};
  EXPECT_EQ(interrupter_->read(cpus_[1], busy.tid(), {&segment, 1}).status, ReadStatus::unmapped);
  std::uint64_t word = 0;
  const std::vector<Segment> many(2000, segment_of(const_cast<const std::uint64_t&>(busy.first), word));
  EXPECT_EQ(interrupter_->read(cpus_[1], busy.tid(), many).status, ReadStatus::unmapped);
}

}  // namespace
}  // namespace flametap::target
