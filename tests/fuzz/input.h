// The fuzzer's input as a row of numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace flametap {

// Takes numbers from the fuzzer's input; zeros when it is used up.
class Input {
 public:
  explicit Input(Bytes bytes) : bytes_(bytes) {}
  [[nodiscard]] bool empty() const { return at_ >= bytes_.size(); }
  std::uint64_t next(std::uint64_t below) {
    const std::uint64_t value = load<std::uint16_t>(bytes_, at_).value_or(0);
    at_ += 2;
    return value % below;
  }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
};

}  // namespace flametap
