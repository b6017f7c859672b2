// Python's simple values as Python itself writes them (repr). Pure text work.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace flametap::tracer {

// Digits of 30 bits, the least one first. At most a few dozen: the work grows with the square of their number.
[[nodiscard]] std::string integer_literal(bool negative, std::span<const std::uint32_t> digits);

[[nodiscard]] std::string float_literal(double value);

// Any numbers up to 0x10ffff. Escapes what Python does, except that characters of which Unicode says nothing (yet) are
// written as they are.
[[nodiscard]] std::string text_literal(std::u32string_view characters);

[[nodiscard]] std::string bytes_literal(Bytes bytes);

}  // namespace flametap::tracer
