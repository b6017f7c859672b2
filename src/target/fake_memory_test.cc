#include "target/fake_memory.h"

#include <gtest/gtest.h>

#include <array>

namespace flametap::target {
namespace {

constexpr Address kBase{0x1000};

std::vector<std::byte> bytes_from_zero(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i);
  return bytes;
}

TEST(FakeMemory, ReadsWhatWasMappedAndPut) {
  FakeMemory memory;
  memory.map(kBase, 16);
  EXPECT_TRUE(memory.put(kBase + 8, std::uint64_t{42}));
  std::uint64_t value = 0;
  EXPECT_EQ(memory.read_value(kBase + 8, value), ReadStatus::ok);
  EXPECT_EQ(value, 42u);
  EXPECT_EQ(memory.read_value(kBase + 9, value), ReadStatus::unmapped);
  EXPECT_EQ(memory.read_value(kNull, value), ReadStatus::unmapped);
}

TEST(FakeMemory, ReadsAcrossRangesThatTouch) {
  FakeMemory memory;
  memory.map(kBase, bytes_from_zero(4));
  memory.map(kBase + 4, bytes_from_zero(4));
  std::array<std::byte, 4> read{};
  EXPECT_EQ(memory.read(kBase + 2, read), ReadStatus::ok);
  EXPECT_EQ(read, (std::array{std::byte{2}, std::byte{3}, std::byte{0}, std::byte{1}}));
}

TEST(FakeMemory, UnmapsTheMiddleAndKeepsBothEnds) {
  FakeMemory memory;
  memory.map(kBase, bytes_from_zero(12));
  memory.unmap(kBase + 4, 4);
  std::array<std::byte, 4> read{};
  EXPECT_EQ(memory.read(kBase, read), ReadStatus::ok);
  EXPECT_EQ(memory.read(kBase + 4, read), ReadStatus::unmapped);
  EXPECT_EQ(memory.read(kBase + 8, read), ReadStatus::ok);
  EXPECT_EQ(read[0], std::byte{8});
}

TEST(FakeMemory, RefusesToWriteWhereNothingIsMapped) {
  FakeMemory memory;
  memory.map(kBase, 4);
  EXPECT_FALSE(memory.put(kBase, std::uint64_t{~0ull}));
  std::uint32_t value = 1;
  EXPECT_EQ(memory.read_value(kBase, value), ReadStatus::ok);
  EXPECT_EQ(value, 0u);
}

TEST(FakeMemory, RecordsCallsAndStopsAtTheFirstUnmappedSegment) {
  FakeMemory memory;
  memory.map(kBase, 8);
  std::array<std::byte, 4> first{}, second{}, third{};
  const std::array segments{Segment{kBase, first}, Segment{kNull, second}, Segment{kBase + 4, third}};
  const ReadResult result = memory.read(segments);
  EXPECT_EQ(result.status, ReadStatus::unmapped);
  EXPECT_EQ(result.filled, 1u);
  ASSERT_EQ(memory.calls().size(), 1u);
  EXPECT_EQ(memory.calls()[0].segments[1], (FakeMemory::Stretch{kNull, 4}));
  EXPECT_EQ(memory.calls()[0].result.filled, 1u);
  memory.reset_counts();
  EXPECT_TRUE(memory.calls().empty());
}

TEST(FakeMemory, HookChangesMemoryBetweenTwoSegmentsOfOneCall) {
  FakeMemory memory;
  memory.map(kBase, 4);
  memory.set_hook([&](const FakeMemory::Stretch&, std::size_t before) {
    memory.put(kBase, static_cast<std::uint32_t>(before + 1));
  });
  std::array<std::uint32_t, 2> read{};
  const std::array segments{Segment{kBase, std::as_writable_bytes(std::span(read).first(1))},
                            Segment{kBase, std::as_writable_bytes(std::span(read).last(1))}};
  EXPECT_TRUE(memory.read(segments));
  EXPECT_EQ(read, (std::array<std::uint32_t, 2>{1, 2}));
  EXPECT_EQ(memory.calls().size(), 1u);
  EXPECT_EQ(memory.segments_read(), 2u);
}

TEST(FakeMemory, CanBeGoneOrDenied) {
  FakeMemory memory;
  memory.map(kBase, 4);
  std::uint32_t value = 0;
  memory.set_status(ReadStatus::gone);
  EXPECT_EQ(memory.read_value(kBase, value), ReadStatus::gone);
  memory.set_status(ReadStatus::denied);
  EXPECT_EQ(memory.read_value(kBase, value), ReadStatus::denied);
}

}  // namespace
}  // namespace flametap::target
