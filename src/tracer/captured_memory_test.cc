#include "tracer/captured_memory.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tracer/read_prefix.h"

namespace flametap::tracer {
namespace {

using target::Address;
using target::ReadStatus;

Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string prefix(CapturedMemory& memory, std::uint64_t from, std::size_t size) {
  std::string text(size, '?');
  text.resize(read_prefix(memory, Address{from}, std::as_writable_bytes(std::span(text))));
  return text;
}

TEST(CapturedMemory, ReadsWhatWasCapturedAndNothingElse) {
  CapturedMemory memory;
  memory.add(Address{0x1000}, bytes_of("hello"));
  memory.add(Address{0x2000}, bytes_of("there"));
  EXPECT_EQ(prefix(memory, 0x1000, 5), "hello");
  EXPECT_EQ(prefix(memory, 0x2001, 3), "her");
  EXPECT_EQ(prefix(memory, 0x0fff, 2), "");
  EXPECT_EQ(prefix(memory, 0x1005, 1), "");
  std::array<std::byte, 6> six{};
  EXPECT_EQ(memory.read(Address{0x1000}, six), ReadStatus::unmapped);
  memory.clear();
  EXPECT_EQ(prefix(memory, 0x1000, 1), "");
}

TEST(CapturedMemory, ReadsAcrossPieces) {
  CapturedMemory memory;
  memory.add(Address{0x1000}, bytes_of("hello"));
  memory.add(Address{0x1005}, bytes_of(" world"));
  memory.add(Address{0x1003}, bytes_of("XXXX"));
  EXPECT_EQ(prefix(memory, 0x1000, 11), "hello world");
}

TEST(CapturedMemory, SaysHowFarItCame) {
  CapturedMemory memory;
  memory.add(Address{0x1000}, bytes_of("hello"));
  std::array<std::byte, 2> one{};
  std::array<std::byte, 2> two{};
  const std::array segments = {target::Segment{Address{0x1000}, one}, target::Segment{Address{0x9000}, two}};
  const target::ReadResult result = memory.read(segments);
  EXPECT_EQ(result.status, ReadStatus::unmapped);
  EXPECT_EQ(result.filled, 1u);
}

TEST(CapturedMemory, PiecesAtTheEndOfTheAddressSpace) {
  CapturedMemory memory;
  memory.add(Address{~std::uint64_t{0} - 1}, bytes_of("ab"));
  EXPECT_EQ(prefix(memory, ~std::uint64_t{0} - 1, 4), "ab");
}

TEST(ReadPrefix, ReadsAsMuchAsThereIs) {
  CapturedMemory memory;
  const std::string text(1000, 'x');
  memory.add(Address{0x1000}, bytes_of(text));
  for (const std::size_t size : std::vector<std::size_t>{0, 1, 2, 999, 1000, 1001, 1024, 4096}) {
    EXPECT_EQ(prefix(memory, 0x1000, size).size(), std::min<std::size_t>(size, 1000)) << size;
  }
}

}  // namespace
}  // namespace flametap::tracer
