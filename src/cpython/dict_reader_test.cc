#include "cpython/dict_reader.h"

#include <gtest/gtest.h>

#include <set>

#include "cpython/every_layout.h"
#include "cpython/fake_objects.h"

namespace flametap::cpython {
namespace {

using target::Address;

class DictReaderTest : public testing::TestWithParam<const Layout*> {
 protected:
  std::vector<DictItem> items(Address dict) { return read_dict(python_.memory(), python_.layout(), dict).items; }
  Address value(Address dict, std::string_view key) {
    const auto all = items(dict);
    const DictItem* item = find_item(python_.memory(), python_.layout(), all, key);
    return item == nullptr ? target::kNull : item->value;
  }
  Address attribute(Address object, std::string_view name) {
    const Attribute found = find_attribute(python_.memory(), python_.layout(), object, name);
    if (found.value != target::kNull) check(found);
    return found.value;
  }
  // A trail holds what stands in memory, and its last step leads to the value.
  void check(const Attribute& found) {
    for (const Step& step : found.trail) {
      Address pointer = target::kNull;
      EXPECT_EQ(python_.memory().read_value(step.place, pointer), target::ReadStatus::ok);
      EXPECT_EQ(pointer, step.pointer);
    }
    EXPECT_EQ(found.trail.back().pointer, found.value);
  }
  void put_byte(Address at, int value) { python_.memory().put(at, static_cast<std::uint8_t>(value)); }

  FakeInterpreter python_{*GetParam()};
  FakeObjects objects_{python_};
  const Layout& layout_ = python_.layout();
  const Address one_ = objects_.make_integer(1);
  const Address two_ = objects_.make_integer(2);
};

TEST_P(DictReaderTest, GivesTheItemsThatAreThere) {
  const Address key = objects_.make_integer(77);
  const auto found = items(objects_.make_dict({{key, one_}, {objects_.make_text("b"), two_}}));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].key, key);
  EXPECT_EQ(found[0].value, one_);
  EXPECT_EQ(found[1].value, two_);
  EXPECT_TRUE(items(objects_.make_dict({})).empty());
}

TEST_P(DictReaderTest, FindsAKeyAmongMany) {
  FakeObjects::Items many;
  for (int i = 0; i < 700; ++i) many.emplace_back(objects_.make_text("key" + std::to_string(i)), one_);
  many[650].second = two_;
  const Address dict = objects_.make_dict(many);
  EXPECT_EQ(items(dict).size(), 700u);
  python_.memory().reset_counts();
  EXPECT_EQ(value(dict, "key650"), two_);
  EXPECT_LT(python_.memory().calls().size(), 20u);  // many keys with one call
  EXPECT_EQ(value(dict, "key65"), one_);
  EXPECT_EQ(value(dict, "key"), target::kNull);
  EXPECT_EQ(value(dict, "key6500"), target::kNull);
}

TEST_P(DictReaderTest, PassesOverKeysThatCannotBeRead) {
  const Address dict =
      objects_.make_dict({{Address{0xdead'0000}, one_}, {objects_.make_text("k"), two_}, {Address{0xdead'0000}, one_}});
  EXPECT_EQ(value(dict, "k"), two_);
  FakeObjects::Items garbage(1000, {Address{0xdead'0000}, one_});
  const Address unreadable = objects_.make_dict(garbage);
  python_.memory().reset_counts();
  EXPECT_EQ(value(unreadable, "k"), target::kNull);
  EXPECT_LT(python_.memory().calls().size(), 100u);
}

TEST_P(DictReaderTest, BelievesOnlyKeysThatAreStrings) {
  const Address key = objects_.make_text("k");
  const Address dict = objects_.make_dict({{key, one_}});
  python_.put(key + layout_.object.type, 0);
  EXPECT_EQ(value(dict, "k"), target::kNull);
}

TEST_P(DictReaderTest, RefusesImplausibleSizes) {
  const Address dict = objects_.make_dict({{objects_.make_text("k"), one_}});
  Address keys = target::kNull;
  ASSERT_EQ(python_.memory().read_value(dict + layout_.dict.keys, keys), target::ReadStatus::ok);
  switch (layout_.dict_kind) {
    case DictKind::open_table:
      for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{1} << 40, std::uint64_t{9}}) {
        python_.put(dict + layout_.dict.mask, mask);
        EXPECT_TRUE(items(dict).empty()) << mask;
      }
      break;
    case DictKind::sized_keys:
      for (const std::uint64_t size :
           {std::uint64_t{0}, std::uint64_t{12}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
        python_.put(keys + layout_.dict_keys.size, size);
        EXPECT_TRUE(items(dict).empty()) << size;
      }
      break;
    case DictKind::log_sized_keys:
      for (const int size : {2, 30, 64, 255}) {
        put_byte(keys + layout_.dict_keys.size, size);
        put_byte(keys + layout_.dict_keys.index_bytes, size == 2 ? 1 : size);
        EXPECT_TRUE(items(dict).empty()) << size;
      }
      break;
  }
}

TEST_P(DictReaderTest, RefusesMoreEntriesThanSlots) {
  if (layout_.dict_kind == DictKind::open_table) return;  // 2.7 does not count them
  const Address dict = objects_.make_dict({{objects_.make_text("k"), one_}});
  Address keys = target::kNull;
  ASSERT_EQ(python_.memory().read_value(dict + layout_.dict.keys, keys), target::ReadStatus::ok);
  for (const std::uint64_t count : {std::uint64_t{9}, ~std::uint64_t{0}}) {
    python_.put(keys + layout_.dict_keys.entry_count, count);
    EXPECT_TRUE(items(dict).empty()) << count;
  }
}

TEST_P(DictReaderTest, FindsNothingInWhatIsNoDictionary) {
  EXPECT_TRUE(items(target::kNull).empty());
  EXPECT_TRUE(items(Address{0xdead'0000}).empty());
  EXPECT_TRUE(items(one_).empty());
  EXPECT_EQ(attribute(one_, "a"), target::kNull);
  EXPECT_EQ(attribute(target::kNull, "a"), target::kNull);
  EXPECT_EQ(attribute(objects_.make_object({}), "a"), target::kNull);
}

TEST_P(DictReaderTest, FindsAttributesInADictionaryAtAFixedPlace) {
  const Address object = objects_.make_object({{"a", one_}, {"b", two_}});
  EXPECT_EQ(attribute(object, "b"), two_);
  EXPECT_EQ(attribute(object, "c"), target::kNull);
}

TEST_P(DictReaderTest, FindsItemsOfDictionariesThatShareTheirKeys) {
  if (layout_.dict_kind == DictKind::open_table) return;  // 2.7 has none
  const Address dict = objects_.make_split_dict({{"a", one_}, {"gone", target::kNull}, {"b", two_}});
  EXPECT_EQ(items(dict).size(), 2u);
  EXPECT_EQ(value(dict, "b"), two_);
  EXPECT_EQ(value(dict, "gone"), target::kNull);
}

TEST_P(DictReaderTest, FindsAttributesThatAreKeptAsValues) {
  if (layout_.attributes_kind == AttributesKind::dict_pointer) return;  // not before 3.11
  const Address object = objects_.make_instance({{"a", one_}, {"gone", target::kNull}, {"b", two_}});
  EXPECT_EQ(attribute(object, "a"), one_);
  EXPECT_EQ(attribute(object, "b"), two_);
  EXPECT_EQ(attribute(object, "gone"), target::kNull);
}

TEST_P(DictReaderTest, FindsAttributesThatWereMovedToADictionary) {
  if (layout_.attributes_kind == AttributesKind::dict_pointer) return;  // not before 3.11
  const Address dict = objects_.make_dict({{objects_.make_text("a"), one_}});
  EXPECT_EQ(attribute(objects_.make_instance_with_dict(dict), "a"), one_);
  EXPECT_EQ(attribute(objects_.make_instance_with_dict(target::kNull), "a"), target::kNull);
}

TEST_P(DictReaderTest, BelievesNoValuesThatAreNotValidAnyMore) {
  if (layout_.attributes_kind != AttributesKind::inline_values) return;  // not before 3.13
  const Address object = objects_.make_instance({{"a", one_}, {"b", two_}});
  constexpr Offset kInstanceSize = 32;
  put_byte(object + kInstanceSize + layout_.dict_values.capacity, 1);
  EXPECT_EQ(attribute(object, "a"), one_);
  EXPECT_EQ(attribute(object, "b"), target::kNull) << "beyond the values that there are";
  put_byte(object + kInstanceSize + layout_.dict_values.valid, 0);
  EXPECT_EQ(attribute(object, "a"), target::kNull);
}

INSTANTIATE_TEST_SUITE_P(EveryLayout, DictReaderTest, testing::ValuesIn(every_layout()), layout_name);

}  // namespace
}  // namespace flametap::cpython
