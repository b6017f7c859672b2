// CfiCursor: reads numbers one after the other out of call frame information that anybody may have made up. After a
// number that is not there whole, or is too long, it has failed: everything more is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace flametap::native {

class CfiCursor {
 public:
  explicit CfiCursor(Bytes bytes, std::size_t at = 0) : bytes_(bytes), at_(at) {}

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool at_end() const { return failed_ || at_ >= bytes_.size(); }
  [[nodiscard]] std::size_t position() const { return at_; }

  template <typename T>
  T fixed() {
    const std::optional<T> value = failed_ ? std::nullopt : load<T>(bytes_, at_);
    if (!value) {
      failed_ = true;
      return T{};
    }
    at_ += sizeof(T);
    return *value;
  }

  // A number of seven bits per byte, the lowest first.
  std::uint64_t unsigned_leb() { return leb(false); }
  std::int64_t signed_leb() { return static_cast<std::int64_t>(leb(true)); }

  void skip(std::uint64_t count) {
    if (failed_ || count > bytes_.size() - at_) {
      failed_ = true;
      return;
    }
    at_ += count;
  }

 private:
  std::uint64_t leb(bool is_signed) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = fixed<std::uint8_t>();
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) != 0) continue;
      if (is_signed && (byte & 0x40) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
      return value;
    }
    failed_ = true;
    return 0;
  }

  Bytes bytes_;
  std::size_t at_;
  bool failed_ = false;
};

}  // namespace flametap::native
