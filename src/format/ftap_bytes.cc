#include "format/ftap_bytes.h"

#include <algorithm>

namespace flametap::format {
namespace {

constexpr unsigned kBitsPerByte = 8;

}  // namespace

// One plane of bytes after the other: the high bytes of a column resemble each other and the low ones do not, so the
// compressor does better with each kind apart. At least one byte for each row, so that whoever reads it can tell from
// the bytes at hand how many rows there may be.
void put_column(std::string& out, std::span<const std::uint64_t> values) {
  std::uint64_t base = values.empty() ? 0 : values.front();
  for (const std::uint64_t value : values) {
    if (static_cast<std::int64_t>(value) < static_cast<std::int64_t>(base)) base = value;
  }
  std::uint64_t bits = 1;
  for (const std::uint64_t value : values) bits |= value - base;
  const unsigned width = (static_cast<unsigned>(std::bit_width(bits)) + kBitsPerByte - 1) / kBitsPerByte;
  put<std::uint8_t>(out, static_cast<std::uint8_t>(width));
  put<std::uint64_t>(out, base);
  const std::size_t start = out.size();
  out.resize(start + width * values.size());
  char* to = out.data() + start;
  for (unsigned plane = 0; plane < width; ++plane) {
    for (const std::uint64_t value : values) *to++ = static_cast<char>((value - base) >> (plane * kBitsPerByte) & 0xff);
  }
}

void put_texts(std::string& out, std::span<const std::string_view> texts) {
  std::vector<std::uint64_t> lengths;
  lengths.reserve(texts.size());
  for (const std::string_view text : texts) lengths.push_back(text.size());
  put_column(out, lengths);
  for (const std::string_view text : texts) out += text;
}

void FtapCursor::skip(std::size_t count) {
  if (count > rest_.size()) ok_ = false;
  rest_ = rest_.subspan(std::min(count, rest_.size()));
}

Bytes FtapCursor::take_bytes(std::size_t count) {
  const Bytes taken = count <= rest_.size() ? rest_.first(count) : Bytes();
  skip(count);
  return taken;
}

std::vector<std::uint64_t> FtapCursor::take_column(std::size_t rows) {
  const std::size_t width = take<std::uint8_t>();
  const auto base = take<std::uint64_t>();
  if (width < 1 || width > sizeof(std::uint64_t) || rows > rest_.size() / width) {
    ok_ = false;
    return {};
  }
  std::vector<std::uint64_t> values(rows, base);
  for (unsigned plane = 0; plane < width; ++plane) {
    const Bytes bytes = take_bytes(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      values[row] += std::to_integer<std::uint64_t>(bytes[row]) << (plane * kBitsPerByte);
    }
  }
  return values;
}

std::vector<std::string_view> FtapCursor::take_texts(std::size_t count) {
  std::vector<std::string_view> texts;
  for (const std::uint64_t length : take_column(count)) {
    const Bytes bytes = take_bytes(length);
    texts.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  if (!ok_) texts.clear();
  return texts;
}

}  // namespace flametap::format
