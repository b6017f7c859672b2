#include "cpython/text.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "cpython/layout_table.h"
#include "target/fake_memory.h"

namespace flametap::cpython {
namespace {

using target::Address;
using target::FakeMemory;

constexpr Address kObject{0x10000};
constexpr Address kElsewhere{0x90000};
constexpr std::uint32_t kCompact = 1 << 3;
constexpr std::uint32_t kAscii = 1 << 4;

template <typename Character>
Bytes bytes_of(std::basic_string_view<Character> text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// A Python 3 string object: `state` is the width of a character, with kCompact and kAscii.
void put_head(FakeMemory& memory, const Layout& layout, std::uint64_t length, std::uint32_t state) {
  memory.map(kObject, layout.text.separate_data + 8);
  // The bits around the ones that we want may be anything.
  const std::uint32_t noise = layout.text.kind_shift == 2 ? 0x83 : 0x01;
  EXPECT_TRUE(memory.put(kObject + layout.text.length, length));
  EXPECT_TRUE(memory.put(kObject + layout.text.state, state << layout.text.kind_shift | noise));
}

void put_compact(FakeMemory& memory, const Layout& layout, Bytes characters, std::uint32_t state) {
  put_head(memory, layout, characters.size() / (state & 7), state);
  memory.map(kObject + ((state & kAscii) != 0 ? layout.text.ascii_data : layout.text.compact_data), characters);
}

class TextOf : public testing::TestWithParam<const Layout*> {
 protected:
  const Layout& layout() const { return *GetParam(); }
  std::optional<std::string> read() { return read_text(memory_, layout(), kObject); }

  FakeMemory memory_;
};

std::vector<const Layout*> unicode_layouts() {
  std::vector<const Layout*> found;
  for (const Layout& layout : all_layouts()) {
    if (layout.text_kind == TextKind::unicode) found.push_back(&layout);
  }
  return found;
}

TEST_P(TextOf, CompactAscii) {
  put_compact(memory_, layout(), bytes_of<char>("frobnicate"), 1 | kCompact | kAscii);
  EXPECT_EQ(read(), "frobnicate");
}

TEST_P(TextOf, CompactLatin1) {
  put_compact(memory_, layout(), bytes_of<char>("na\xefve\xff"), 1 | kCompact);
  EXPECT_EQ(read(), "naïveÿ");
}

TEST_P(TextOf, CompactUcs2) {
  put_compact(memory_, layout(), bytes_of<char16_t>(u"π→\x7ff\x800\xffff"), 2 | kCompact);
  EXPECT_EQ(read(), "π→\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf");
}

TEST_P(TextOf, CompactUcs4) {
  put_compact(memory_, layout(), bytes_of<char32_t>(U"a🐍\x10ffff"), 4 | kCompact);
  EXPECT_EQ(read(), "a🐍\xf4\x8f\xbf\xbf");
}

TEST_P(TextOf, CharactersInASeparateBlock) {
  put_head(memory_, layout(), 4, 1 | kAscii);
  EXPECT_TRUE(memory_.put(kObject + layout().text.separate_data, kElsewhere));
  memory_.map(kElsewhere, bytes_of<char>("away"));
  EXPECT_EQ(read(), "away");
  const auto place = text_data(memory_, layout(), kObject);
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->data, kElsewhere);
  EXPECT_EQ(place->bytes, 4u);
}

TEST_P(TextOf, Empty) {
  put_head(memory_, layout(), 0, 1 | kCompact | kAscii);
  EXPECT_EQ(read(), "");
}

TEST_P(TextOf, LongIsCutAndSaysSo) {
  const std::u16string text(kMaxCharacters + 1, u'→');
  put_compact(memory_, layout(), bytes_of<char16_t>(text), 2 | kCompact);
  const auto cut = read();
  ASSERT_TRUE(cut.has_value());
  EXPECT_EQ(cut->size(), 3 * kMaxCharacters + 3);
  EXPECT_TRUE(cut->ends_with("→…"));

  const std::string fits(kMaxCharacters, 'x');
  put_compact(memory_, layout(), bytes_of<char>(fits), 1 | kCompact | kAscii);
  EXPECT_EQ(read(), fits);
}

TEST_P(TextOf, RefusesWhatCannotBeAString) {
  for (const std::uint32_t width : {0u, 3u, 5u, 6u, 7u}) {
    put_head(memory_, layout(), 1, width | kCompact);
    EXPECT_EQ(read(), std::nullopt) << "width " << width;
  }
  put_head(memory_, layout(), 1, 2 | kCompact | kAscii);
  EXPECT_EQ(read(), std::nullopt) << "ASCII of two bytes";
  put_head(memory_, layout(), ~std::uint64_t{0}, 1 | kCompact | kAscii);
  EXPECT_EQ(read(), std::nullopt) << "absurd length";
  put_head(memory_, layout(), 1, 4 | kCompact);
  memory_.map(kObject + layout().text.compact_data, bytes_of<char32_t>(std::u32string(1, char32_t{0x110000})));
  EXPECT_EQ(read(), std::nullopt) << "beyond Unicode";
}

TEST_P(TextOf, RefusesWhatCannotBeRead) {
  EXPECT_EQ(read(), std::nullopt);
  EXPECT_EQ(read_text(memory_, layout(), target::kNull), std::nullopt);
  put_head(memory_, layout(), 4, 1);
  EXPECT_EQ(read(), std::nullopt) << "characters at a null pointer";
}

INSTANTIATE_TEST_SUITE_P(EveryLayout, TextOf, testing::ValuesIn(unicode_layouts()), [](const auto& each) {
  const Layout& layout = *each.param;
  return "v" + std::to_string(layout.version.major) + "_" + std::to_string(layout.version.minor) + "_" +
         std::to_string(layout.version.micro) + (layout.trace_refs ? "_trace_refs" : "") +
         (layout.free_threaded ? "_free_threaded" : "");
});

class ByteText : public testing::Test {
 protected:
  std::optional<std::string> read(std::string_view text) {
    FakeMemory memory;
    const Layout& layout = *find_layout({2, 7, 18}, false);
    memory.map(kObject, layout.bytes.data);
    EXPECT_TRUE(memory.put(kObject + layout.bytes.length, std::uint64_t{text.size()}));
    memory.map(kObject + layout.bytes.data, bytes_of(text));
    return read_text(memory, layout, kObject);
  }
};

TEST_F(ByteText, Utf8StaysAsItIs) { EXPECT_EQ(read("naïve →🐍"), "naïve →🐍"); }

TEST_F(ByteText, OtherBytesAreLatin1) {
  EXPECT_EQ(read("na\xefve"), "naïve");
  EXPECT_EQ(read("\xc0\x80"), "À\xc2\x80") << "overlong";
  EXPECT_EQ(read("\xed\xa0\x80"), "í\xc2\xa0\xc2\x80") << "surrogate";
  EXPECT_EQ(read("\xf4\x90\x80\x80"), "ô\xc2\x90\xc2\x80\xc2\x80") << "beyond Unicode";
  EXPECT_EQ(read("\xe2\x86"), "â\xc2\x86") << "cut short";
}

TEST_F(ByteText, LongUtf8IsCutBetweenCharacters) {
  std::string text = "x";
  while (text.size() <= kMaxCharacters) text += "→";
  const auto cut = read(text);
  ASSERT_TRUE(cut.has_value());
  EXPECT_EQ(cut->substr(0, 4), "x→");
  EXPECT_TRUE(cut->ends_with("→…"));
}

TEST_F(ByteText, RefusesAnAbsurdLength) {
  FakeMemory memory;
  const Layout& layout = *find_layout({2, 7, 18}, false);
  memory.map(kObject, 64);
  EXPECT_TRUE(memory.put(kObject + layout.bytes.length, std::uint64_t{1} << 60));
  EXPECT_EQ(read_text(memory, layout, kObject), std::nullopt);
}

TEST(Characters, LoneSurrogatesAreSpelledOut) {
  const char16_t text[] = {u'a', 0xdc80, 0xd83d, 0xdc0d, u'b'};
  EXPECT_EQ(utf8_from_characters(std::as_bytes(std::span(text)), 2), "a\\udc80\\ud83d\\udc0db");
}

TEST(Characters, RefusesPartsOfCharacters) {
  const std::byte three[3] = {};
  EXPECT_EQ(utf8_from_characters(three, 2), std::nullopt);
  EXPECT_EQ(utf8_from_characters(three, 3), std::nullopt);
  EXPECT_EQ(utf8_from_characters(three, 0), std::nullopt);
}

}  // namespace
}  // namespace flametap::cpython
