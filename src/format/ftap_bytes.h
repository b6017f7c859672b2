// What the content of an .ftap chunk is made of: numbers, columns of numbers and lists of texts, all little-endian. See
// docs/formats/ftap.md.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/bytes.h"

namespace flametap::format {

static_assert(std::endian::native == std::endian::little, "numbers are written as they stand in memory");

template <typename T>
void put(std::string& out, std::type_identity_t<T> value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Signed values are given as their two's complement.
void put_column(std::string& out, std::span<const std::uint64_t> values);

void put_texts(std::string& out, std::span<const std::string_view> texts);

// Takes a content apart from the front. What goes beyond the end gives zeros and nothing, and is remembered: asking
// `ok` once, at the end, is enough. Allocates at most in proportion to the bytes that are there.
class FtapCursor {
 public:
  explicit FtapCursor(Bytes bytes) : rest_(bytes) {}

  template <typename T>
  T take() {
    const std::optional<T> value = load<T>(rest_, 0);
    skip(sizeof(T));
    return value.value_or(T{});
  }
  Bytes take_bytes(std::size_t count);
  // The texts are views of the content.
  [[nodiscard]] std::vector<std::uint64_t> take_column(std::size_t rows);
  [[nodiscard]] std::vector<std::string_view> take_texts(std::size_t count);

  void fail() { ok_ = false; }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool empty() const { return rest_.empty(); }

 private:
  void skip(std::size_t count);

  Bytes rest_;
  bool ok_ = true;
};

}  // namespace flametap::format
