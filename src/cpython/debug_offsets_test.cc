#include "cpython/debug_offsets.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "cpython/layout_table.h"

namespace flametap::cpython {
namespace {

constexpr std::size_t kVersionPosition = 8;
constexpr std::size_t kFreeThreadedPosition = 16;
constexpr Offset kOrigin = 8000;  // of structs inside others

class Description {
 public:
  // What a CPython with the layout `row` says of itself.
  Description(const DebugOffsetsShape& shape, const Layout& row, Version version) : bytes_(kDebugOffsetsRead) {
    std::memcpy(bytes_.data(), "xdebugpy", 8);
    put(kVersionPosition, static_cast<std::uint64_t>(version.major) << 24 |
                              static_cast<std::uint64_t>(version.minor) << 16 |
                              static_cast<std::uint64_t>(version.micro) << 8 | 0xf0);
    put(kFreeThreadedPosition, row.free_threaded ? 1 : 0);
    Layout source = row;
    for (const DescribedField& field : shape.fields) put(field.size_position, 100'000);
    for (const DescribedField& field : shape.fields) {
      const bool is_nested = field.origin_position != kAbsent;
      if (is_nested) put(field.origin_position, kOrigin);
      put(field.position, field.place(source) + (is_nested ? kOrigin : 0));
    }
  }

  void put(std::size_t position, std::uint64_t number) { std::memcpy(bytes_.data() + position, &number, 8); }
  [[nodiscard]] Bytes bytes() const { return bytes_; }
  std::vector<std::byte>& raw() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

Description describe(Version version, bool free_threaded = false) {
  const auto known = find_self_described(version, free_threaded);
  return {*known->shape, *known->row, version};
}

std::size_t position_of(Version version, const std::string& name) {
  for (const DescribedField& field : find_self_described(version, false)->shape->fields) {
    if (name == field.name) return field.position;
  }
  ADD_FAILURE() << "no field " << name;
  return 0;
}

class SelfDescribedVersion : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(SelfDescribedVersion, GivesTheRowBack) {
  const auto [minor, free_threaded] = GetParam();
  const Version version{3, minor, 2};
  const auto layout = layout_from_debug_offsets(describe(version, free_threaded).bytes());
  ASSERT_TRUE(layout.ok()) << layout.error().message;
  EXPECT_EQ(layout->version, version);
  EXPECT_TRUE(layout->exact);
  EXPECT_EQ(layout->free_threaded, free_threaded);
  const Layout& row = *find_self_described(version, free_threaded)->row;
  EXPECT_EQ(layout->thread.frame, row.thread.frame);
  EXPECT_EQ(layout->interpreter.modules, row.interpreter.modules);
  EXPECT_EQ(layout->dict.keys, row.dict.keys);
  EXPECT_EQ(layout->thread.stack_top, row.thread.stack_top);
  EXPECT_EQ(layout->thread.size, row.thread.size);
  EXPECT_EQ(layout->code.unique_version, row.code.unique_version);
  EXPECT_EQ(layout->code.unit_count, row.code.unit_count);
  EXPECT_EQ(layout->text.compact_data, row.text.compact_data);
  EXPECT_EQ(layout->text.kind_shift, row.text.kind_shift);
  EXPECT_EQ(layout->code_tag_mask, row.code_tag_mask);
  EXPECT_EQ(layout->first_shim_owner, row.first_shim_owner);
  EXPECT_EQ(layout->stack_chunk.data, row.stack_chunk.data);
  EXPECT_EQ(layout->gil.holder, row.gil.holder);
  EXPECT_EQ(layout->gil.locked, row.gil.locked);
}

INSTANTIATE_TEST_SUITE_P(All, SelfDescribedVersion,
                         testing::Combine(testing::Values(13, 14, 15), testing::Values(false, true)));

TEST(DebugOffsets, FollowsWhatTheTargetSaysRatherThanTheRow) {
  const Version version{3, 13, 9};
  Description description = describe(version);
  description.put(position_of(version, "thread.stack_chunk"), 400);
  description.put(position_of(version, "code.first_line"), 84);
  const auto layout = layout_from_debug_offsets(description.bytes());
  ASSERT_TRUE(layout.ok()) << layout.error().message;
  EXPECT_EQ(layout->thread.stack_chunk, 400u);
  EXPECT_EQ(layout->thread.stack_top, 408u);
  EXPECT_EQ(layout->thread.size, 416u);
  EXPECT_EQ(layout->code.unique_version, 108u);
}

TEST(DebugOffsets, TriesAnUnknownNewerMinorAndSaysSo) {
  const auto layout = layout_from_debug_offsets(describe({3, 16, 0}).bytes());
  ASSERT_TRUE(layout.ok()) << layout.error().message;
  EXPECT_FALSE(layout->exact);
  EXPECT_EQ(layout->version, (Version{3, 16, 0}));
  EXPECT_EQ(layout->interpreter.gc, kAbsent) << "nothing confirms it";
  EXPECT_EQ(layout->dict.keys, kAbsent) << "it is not described";
}

// What most likely happens to the next minor version: a number more somewhere in the middle.
TEST(DebugOffsets, RefusesAnUnknownMinorWithANumberInsertedAnywhere) {
  const std::size_t last = position_of({3, 16, 0}, "text.ascii_data");
  for (std::size_t position = 24; position <= last; position += 8) {
    Description description = describe({3, 16, 0});
    auto& bytes = description.raw();
    bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(position), 8, std::byte{0});
    EXPECT_FALSE(layout_from_debug_offsets(bytes).ok()) << "inserted at " << position;
  }
}

TEST(DebugOffsets, RefusesWhatIsNone) {
  EXPECT_FALSE(layout_from_debug_offsets({}).ok());
  EXPECT_FALSE(layout_from_debug_offsets(std::vector<std::byte>(kDebugOffsetsRead)).ok());
  EXPECT_FALSE(has_debug_offsets(std::vector<std::byte>(7, std::byte{'x'})));
}

TEST(DebugOffsets, RefusesVersionsThatDescribeNothing) {
  for (const Version version : {Version{3, 12, 1}, Version{2, 7, 18}, Version{4, 0, 0}, Version{0, 0, 0}}) {
    const auto known = find_self_described({3, 13, 0}, false);
    EXPECT_FALSE(layout_from_debug_offsets(Description(*known->shape, *known->row, version).bytes()).ok());
  }
}

TEST(DebugOffsets, RefusesACutDescription) {
  const Description whole = describe({3, 13, 0});
  const std::size_t size = find_self_described({3, 13, 0}, false)->shape->size;
  EXPECT_TRUE(layout_from_debug_offsets(whole.bytes().first(size)).ok());
  for (std::size_t cut = 0; cut < size; ++cut) {
    EXPECT_FALSE(layout_from_debug_offsets(whole.bytes().first(cut)).ok()) << cut;
  }
}

TEST(DebugOffsets, RefusesNumbersThatDoNotFitTogether) {
  const Version version{3, 14, 0};
  const auto refused = [&](const std::string& field, std::uint64_t number) {
    Description description = describe(version);
    description.put(position_of(version, field), number);
    return !layout_from_debug_offsets(description.bytes()).ok();
  };
  EXPECT_TRUE(refused("thread.frame", 100'000)) << "behind the end";
  EXPECT_TRUE(refused("thread.frame", 99'996)) << "across the end";
  EXPECT_TRUE(refused("thread.frame", ~std::uint64_t{0})) << "wraps around";
  EXPECT_TRUE(refused("thread.frame", 73)) << "not aligned";
  EXPECT_TRUE(refused("frame.previous", 56)) << "where the instruction is";
  EXPECT_TRUE(refused("gil.holder", kOrigin - 8)) << "before the struct that it is in";
  EXPECT_TRUE(refused("bytes.data", 40)) << "not where it has always been";
}

TEST(DebugOffsets, RefusesImpossibleSizes) {
  const Version version{3, 14, 0};
  Description description = describe(version);
  for (const DescribedField& field : find_self_described(version, false)->shape->fields) {
    if (std::string(field.name) == "thread.frame") description.put(field.size_position, std::uint64_t{1} << 40);
  }
  EXPECT_FALSE(layout_from_debug_offsets(description.bytes()).ok());
}

}  // namespace
}  // namespace flametap::cpython
