// StackView: words of a stack that was copied, by the addresses that they had in the target. Borrows the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "target/memory.h"

namespace flametap::native {

struct StackView {
  target::Address begin = target::kNull;
  Bytes bytes;

  [[nodiscard]] target::Address end() const { return begin + bytes.size(); }
  [[nodiscard]] bool contains(target::Address address, std::size_t size) const {
    const std::uint64_t offset = to_number(address) - to_number(begin);
    return offset <= bytes.size() && bytes.size() - offset >= size;
  }
  // Nothing if it does not lie whole inside the copy.
  [[nodiscard]] std::optional<std::uint64_t> word(target::Address address) const {
    return load<std::uint64_t>(bytes, to_number(address) - to_number(begin));
  }
};

}  // namespace flametap::native
