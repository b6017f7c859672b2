#include "base/interner.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace flametap {
namespace {

enum class Id : std::uint32_t {};

struct Pair {
  std::uint32_t a;
  std::uint32_t b;
  bool operator==(const Pair&) const = default;
};

TEST(Interner, NumbersInOrderOfFirstAppearance) {
  Interner<std::string, Id> names;
  EXPECT_EQ(names.intern(std::string_view("a")), Id{0});
  EXPECT_EQ(names.intern(std::string_view("b")), Id{1});
  EXPECT_EQ(names.intern("a"), Id{0});
  EXPECT_EQ(names.size(), 2u);
  EXPECT_EQ(names[Id{1}], "b");
}

TEST(Interner, FindsWithoutAdding) {
  Interner<std::string, Id> names;
  EXPECT_EQ(names.find("a"), std::nullopt);
  names.intern("a");
  EXPECT_EQ(names.find("a"), Id{0});
  EXPECT_EQ(names.find("b"), std::nullopt);
  EXPECT_EQ(names.size(), 1u);
}

TEST(Interner, ManyPlainValuesStayApart) {
  Interner<Pair, Id> pairs;
  for (std::uint32_t round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < 20'000; ++i) {
      ASSERT_EQ(pairs.intern(Pair{i % 100, i}), Id{i});
    }
  }
  EXPECT_EQ(pairs.size(), 20'000u);
}

TEST(Interner, AViewOutlivesGrowthAndMove) {
  Interner<std::string, Id> names;
  const std::string_view first = names[names.intern("short")];
  for (int i = 0; i < 1000; ++i) names.intern(std::to_string(i));
  Interner<std::string, Id> moved = std::move(names);
  EXPECT_EQ(first, "short");
  EXPECT_EQ(moved[Id{0}].data(), first.data());
  EXPECT_EQ(moved.intern("short"), Id{0});
}

TEST(Interner, ACopyStandsAlone) {
  Interner<std::string, Id> names;
  names.intern("a");
  Interner<std::string, Id> copy = names;
  EXPECT_EQ(copy.intern("b"), Id{1});
  EXPECT_EQ(names.size(), 1u);
  EXPECT_EQ(copy.intern("a"), Id{0});
}

}  // namespace
}  // namespace flametap
