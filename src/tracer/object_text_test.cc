#include "tracer/object_text.h"

#include <gtest/gtest.h>

#include "cpython/every_layout.h"
#include "cpython/fake_objects.h"
#include "tracer/captured_memory.h"

namespace flametap::tracer {
namespace {

using cpython::Layout;
using target::Address;

class ObjectText : public testing::TestWithParam<const Layout*> {
 protected:
  std::string text_of(Address object) { return object_text(python_.memory(), types_, python_.layout(), object); }
  std::vector<std::byte> copy(Address from, std::size_t size) {
    std::vector<std::byte> bytes(size);
    EXPECT_EQ(python_.memory().read(from, bytes), target::ReadStatus::ok);
    return bytes;
  }

  cpython::FakeInterpreter python_{*GetParam()};
  cpython::FakeObjects objects_{python_};
  TypeNames types_{python_.memory(), python_.layout()};
};

TEST_P(ObjectText, SimpleValues) {
  EXPECT_EQ(text_of(objects_.make_none()), "None");
  EXPECT_EQ(text_of(objects_.make_boolean(true)), "True");
  EXPECT_EQ(text_of(objects_.make_boolean(false)), "False");
  EXPECT_EQ(text_of(objects_.make_integer(0)), "0");
  EXPECT_EQ(text_of(objects_.make_integer(9'007'199'254'740'993)), "9007199254740993");
  EXPECT_EQ(text_of(objects_.make_negative(0x4000'0001)), "-1073741825");
  EXPECT_EQ(text_of(objects_.make_float(2.5)), "2.5");
  EXPECT_EQ(text_of(objects_.make_text("it's")), "\"it's\"");
  const bool unicode = GetParam()->text_kind == cpython::TextKind::unicode;
  EXPECT_EQ(text_of(objects_.make_bytes("\xff")), unicode ? "b'\\xff'" : "'\\xff'");
}

TEST_P(ObjectText, Sequences) {
  const Address one = objects_.make_integer(1);
  const Address two = objects_.make_text("two");
  EXPECT_EQ(text_of(objects_.make_tuple({})), "()");
  EXPECT_EQ(text_of(objects_.make_tuple({one})), "(1,)");
  EXPECT_EQ(text_of(objects_.make_tuple({one, two})), "(1, 'two')");
  EXPECT_EQ(text_of(objects_.make_list({})), "[]");
  EXPECT_EQ(text_of(objects_.make_list({one})), "[1]");
  const Address deep = objects_.make_tuple({objects_.make_tuple({two})});
  EXPECT_EQ(text_of(objects_.make_tuple({objects_.make_list({one, deep}), two})), "([1, ((…,),)], 'two')");
}

TEST_P(ObjectText, OtherObjectsByTheirType) {
  EXPECT_EQ(text_of(objects_.make_dict({})), "<dict>");
  EXPECT_EQ(text_of(objects_.make_of_class("shapes", "Point")), "<shapes.Point>");
  EXPECT_EQ(text_of(objects_.make_of_class("shapes", "int")), "<shapes.int>");
}

TEST_P(ObjectText, LongThingsAreCut) {
  // Not compared as a whole: nobody could read what does not agree.
  const std::string whole = text_of(objects_.make_text(std::string(4096, 'x')));
  EXPECT_EQ(whole.size(), 4098u);
  EXPECT_TRUE(whole.ends_with("x'"));
  const std::string cut = text_of(objects_.make_text(std::string(4097, 'x')));
  EXPECT_EQ(cut.substr(4096), "x'…");
  EXPECT_TRUE(text_of(objects_.make_bytes(std::string(9000, 'x'))).ends_with("x'…"));
  const Address one = objects_.make_integer(1);
  EXPECT_EQ(text_of(objects_.make_list(std::vector(17, one))), "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, …]");
  const Address large = objects_.make_text(std::string(4000, 'x'));
  EXPECT_LT(text_of(objects_.make_list(std::vector(16, large))).size(), 13'000u);
  if (GetParam()->integer_kind == cpython::IntegerKind::machine_word) return;
  python_.put(one + GetParam()->integer.size, std::uint64_t{65} << 3);
  EXPECT_EQ(text_of(one), "<int>");
}

TEST_P(ObjectText, WhatCannotBeRead) {
  EXPECT_EQ(text_of(target::kNull), "…");
  EXPECT_EQ(text_of(Address{0xdead'0000}), "…");
  const Address tuple = objects_.make_tuple({Address{0xdead'0000}, objects_.make_none()});
  EXPECT_EQ(text_of(tuple), "(…, None)");
  python_.put(tuple + GetParam()->tuple.length, ~std::uint64_t{0});
  EXPECT_TRUE(text_of(tuple).starts_with("(…, None, "));
  const Address list = objects_.make_list({});
  python_.put(list + GetParam()->list.length, 5);
  python_.put(list + GetParam()->list.items, 0xdead'0000);
  EXPECT_EQ(text_of(list), "[…]");
  const Address self = objects_.make_list({list});
  python_.put(self + GetParam()->list.items, to_number(self + GetParam()->object.type));
  EXPECT_FALSE(text_of(self).empty());
}

TEST_P(ObjectText, OnlyWhatWasCaptured) {
  const Address text = objects_.make_text("a text that is longer than what was captured");
  const Address other = objects_.make_text("not captured");
  const Address tuple = objects_.make_tuple({text, other});
  const cpython::Offset data =
      GetParam()->text_kind == cpython::TextKind::bytes ? GetParam()->bytes.data : GetParam()->text.ascii_data;
  const auto tuple_bytes = copy(tuple, GetParam()->tuple.items + 16);
  const auto text_bytes = copy(text, data + 6);
  CapturedMemory captured;
  captured.add(tuple, tuple_bytes);
  captured.add(text, text_bytes);
  EXPECT_EQ(object_text(captured, types_, python_.layout(), tuple), "('a text'…, …)");
}

TEST_P(ObjectText, TypesThatNeverEndAreKnownAfterTheEndOfTheirProcess) {
  const Address number = objects_.make_integer(7);
  const Address instance = objects_.make_of_class("shapes", "Point");
  EXPECT_EQ(text_of(number), "7");
  EXPECT_EQ(text_of(instance), "<shapes.Point>");
  const auto number_bytes = copy(number, 64);
  const auto instance_bytes = copy(instance, 64);
  CapturedMemory captured;
  captured.add(number, number_bytes);
  captured.add(instance, instance_bytes);
  python_.memory().set_status(target::ReadStatus::gone);
  EXPECT_EQ(object_text(captured, types_, python_.layout(), number), "7");
  EXPECT_EQ(object_text(captured, types_, python_.layout(), instance), "…");
}

INSTANTIATE_TEST_SUITE_P(Every, ObjectText, testing::ValuesIn(cpython::every_layout()), cpython::layout_name);

}  // namespace
}  // namespace flametap::tracer
