#include "tracer/literal.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace flametap::tracer {
namespace {

std::string integer(bool negative, const std::vector<std::uint32_t>& digits) {
  return integer_literal(negative, digits);
}

TEST(Literal, Integers) {
  EXPECT_EQ(integer(false, {}), "0");
  EXPECT_EQ(integer(false, {0}), "0");
  EXPECT_EQ(integer(false, {7}), "7");
  EXPECT_EQ(integer(true, {7}), "-7");
  EXPECT_EQ(integer(false, {1'000'000'000}), "1000000000");
  EXPECT_EQ(integer(false, {999'999'999}), "999999999");
  EXPECT_EQ(integer(true, {0, 0, 16}), "-18446744073709551616") << "-2**64";
  EXPECT_EQ(integer(false, {0, 0, 0, 1 << 10}), "1267650600228229401496703205376") << "2**100";
}

TEST(Literal, Floats) {
  EXPECT_EQ(float_literal(0), "0.0");
  EXPECT_EQ(float_literal(-0.0), "-0.0");
  EXPECT_EQ(float_literal(0.1), "0.1");
  EXPECT_EQ(float_literal(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(float_literal(1e15), "1000000000000000.0");
  EXPECT_EQ(float_literal(9999999999999998.0), "9999999999999998.0");
  EXPECT_EQ(float_literal(1e16), "1e+16");
  EXPECT_EQ(float_literal(1.5e300), "1.5e+300");
  EXPECT_EQ(float_literal(0.0001), "0.0001");
  EXPECT_EQ(float_literal(0.00001), "1e-05");
  EXPECT_EQ(float_literal(std::numeric_limits<double>::denorm_min()), "5e-324");
  EXPECT_EQ(float_literal(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
  EXPECT_EQ(float_literal(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(float_literal(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(float_literal(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(Literal, Texts) {
  EXPECT_EQ(text_literal(U""), "''");
  EXPECT_EQ(text_literal(U"plain"), "'plain'");
  EXPECT_EQ(text_literal(U"it's"), "\"it's\"");
  EXPECT_EQ(text_literal(U"\""), "'\"'");
  EXPECT_EQ(text_literal(U"'\""), "'\\'\"'");
  EXPECT_EQ(text_literal(U"\\ \n\r\t\x01\x7f"), "'\\\\ \\n\\r\\t\\x01\\x7f'");
  EXPECT_EQ(text_literal(U"h\u00e9 \u20ac \U0001f600"), "'h\u00e9 \u20ac \U0001f600'");
  EXPECT_EQ(text_literal(U"\u00a0\u202e\U000e0001"), "'\\xa0\\u202e\\U000e0001'");
  EXPECT_EQ(text_literal(std::u32string(1, char32_t{0xdc80})), "'\\udc80'");
}

TEST(Literal, ByteStrings) {
  const std::string text("a'\\\n\0\xff", 6);
  EXPECT_EQ(bytes_literal(std::as_bytes(std::span(text))), "\"a'\\\\\\n\\x00\\xff\"");
}

}  // namespace
}  // namespace flametap::tracer
