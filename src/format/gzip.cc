#include "format/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>

#include "format/limits.h"

namespace flametap::format {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib's way to ask for a gzip header
constexpr int kMemoryLevel = 8;

struct Deflater {
  z_stream stream{};

  Deflater() {
    // With constant, valid arguments only memory can be missing.
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      throw std::bad_alloc();
    }
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { deflateEnd(&stream); }
};

struct Inflater {
  z_stream stream{};

  Inflater() {
    if (inflateInit2(&stream, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream); }
};

}  // namespace

std::string gzip(std::string_view content) {
  Deflater deflater;
  z_stream& stream = deflater.stream;
  std::string result;
  std::string buffer(1 << 16, '\0');
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const std::size_t part = std::min<std::size_t>(content.size(), std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<const Bytef*>(content.data());
      stream.avail_in = static_cast<uInt>(part);
      content.remove_prefix(part);
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = deflate(&stream, content.empty() ? Z_FINISH : Z_NO_FLUSH);
    result.append(buffer, 0, buffer.size() - stream.avail_out);
  }
  return result;
}

Unpacked gunzip(std::string_view gzipped, std::size_t max_bytes) {
  Inflater inflater;
  z_stream& stream = inflater.stream;
  Unpacked result;
  std::string buffer(1 << 16, '\0');
  gzipped = gzipped.substr(0, kMaxFileBytes);
  stream.next_in = reinterpret_cast<const Bytef*>(gzipped.data());
  stream.avail_in = static_cast<uInt>(gzipped.size());
  for (;;) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    result.content.append(buffer, 0, buffer.size() - stream.avail_out);
    if (result.content.size() > max_bytes) {
      result.content.resize(max_bytes);
      result.damage = "it unpacks to more than " + std::to_string(max_bytes >> 20) + " MiB";
      return result;
    }
    if (status == Z_OK) continue;
    if (status == Z_STREAM_END) {
      const bool another = stream.avail_in >= 2 && stream.next_in[0] == 0x1f && stream.next_in[1] == 0x8b;
      if (!another) return result;  // what else may stand there is padding
      inflateReset(&stream);
      continue;
    }
    result.damage = status == Z_BUF_ERROR ? "it is cut off" : "its compressed data is damaged";
    return result;
  }
}

}  // namespace flametap::format
