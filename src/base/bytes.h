// Reading numbers out of bytes that somebody else wrote: bounded, and without alignment or aliasing assumptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

namespace flametap {

using Bytes = std::span<const std::byte>;

// The number that stands at `offset`, or nothing if it does not lie whole inside `bytes`.
template <typename T>
[[nodiscard]] std::optional<T> load(Bytes bytes, std::size_t offset) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

}  // namespace flametap
