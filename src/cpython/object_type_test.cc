#include "cpython/object_type.h"

#include <gtest/gtest.h>

#include "cpython/every_layout.h"
#include "cpython/fake_objects.h"

namespace flametap::cpython {
namespace {

using target::Address;

class ObjectTypeTest : public testing::TestWithParam<const Layout*> {
 protected:
  std::optional<std::uint64_t> number(Address object) {
    return read_unsigned(python_.memory(), python_.layout(), object);
  }

  FakeInterpreter python_{*GetParam()};
  FakeObjects objects_{python_};
};

TEST_P(ObjectTypeTest, ReadsNumbersUpToAWord) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x3fff'ffff}, std::uint64_t{0x4000'0000},
        std::uint64_t{0x7f12'3456'7890}, ~std::uint64_t{0} >> 1}) {
    EXPECT_EQ(number(objects_.make_integer(value)), value);
  }
}

TEST_P(ObjectTypeTest, RefusesWhatIsNoSuchNumber) {
  EXPECT_EQ(number(target::kNull), std::nullopt);
  EXPECT_EQ(number(Address{0xdead'0000}), std::nullopt);
  EXPECT_EQ(number(objects_.make_text("12345678")), std::nullopt);
  const Address object = objects_.make_integer(7);
  if (GetParam()->integer_kind == IntegerKind::machine_word) {
    python_.put(object + GetParam()->integer.digits, ~std::uint64_t{0});
    EXPECT_EQ(number(object), std::nullopt) << "negative";
    return;
  }
  const bool tagged = GetParam()->integer_kind == IntegerKind::tagged_digits;
  for (const std::uint64_t size : {~std::uint64_t{0}, tagged ? std::uint64_t{1 << 3 | 2} : ~std::uint64_t{0} - 1,
                                   tagged ? std::uint64_t{4 << 3} : std::uint64_t{4}}) {
    python_.put(object + GetParam()->integer.size, size);
    EXPECT_EQ(number(object), std::nullopt) << size;
  }
}

TEST_P(ObjectTypeTest, RefusesDigitsThatAreNoneAndNumbersThatAreTooLarge) {
  if (GetParam()->integer_kind == IntegerKind::machine_word) return;  // 2.7 has no digits
  const Address object = objects_.make_integer(~std::uint64_t{0});
  EXPECT_EQ(number(object), ~std::uint64_t{0});
  python_.memory().put(object + GetParam()->integer.digits + 8, std::uint32_t{0x10});
  EXPECT_EQ(number(object), std::nullopt) << "the 65th bit";
  python_.memory().put(object + GetParam()->integer.digits + 8, std::uint32_t{0x4000'0001});
  EXPECT_EQ(number(object), std::nullopt) << "the 31st bit of a digit";
}

TEST_P(ObjectTypeTest, TellsTypesApart) {
  const Layout::TypeFlag& flag = GetParam()->type_flag;
  const auto is = [&](Address object, std::uint32_t mask) {
    return is_instance(python_.memory(), python_.layout(), object, mask);
  };
  const Address text = objects_.make_text("a");
  EXPECT_TRUE(is(text, flag.text));
  EXPECT_FALSE(is(text, flag.dict));
  EXPECT_TRUE(is(objects_.make_dict({}), flag.dict));
  python_.put(text + GetParam()->object.type, 0xdead'0000);
  EXPECT_FALSE(is(text, flag.text));
}

INSTANTIATE_TEST_SUITE_P(EveryLayout, ObjectTypeTest, testing::ValuesIn(every_layout()), layout_name);

}  // namespace
}  // namespace flametap::cpython
