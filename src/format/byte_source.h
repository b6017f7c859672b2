// ByteSource: bytes that are read in pieces, from memory or from a file that may be too large for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "base/result.h"

namespace flametap::format {

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  // As it was at first: what is appended to the file meanwhile is not seen.
  [[nodiscard]] virtual std::uint64_t size() const = 0;

  // Fills `to` from `offset` on, as far as there are bytes; gives how many.
  [[nodiscard]] virtual Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> to) const = 0;
};

// Borrows the bytes.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(Bytes bytes) : bytes_(bytes) {}

  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> to) const override;

 private:
  Bytes bytes_;
};

// Borrows the descriptor of a regular file. Reads, rather than maps: a file that somebody cuts meanwhile is no signal.
class FileSource final : public ByteSource {
 public:
  FileSource(int file, std::uint64_t size) : file_(file), size_(size) {}

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> to) const override;

 private:
  int file_;
  std::uint64_t size_;
};

}  // namespace flametap::format
