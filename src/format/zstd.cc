#include "format/zstd.h"

#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>

namespace flametap::format {
namespace {

constexpr std::size_t kSkippableHeader = 8;  // its magic number and its length

void append_skippable(std::size_t bytes, std::string& out) {
  const std::uint32_t magic = ZSTD_MAGIC_SKIPPABLE_START;
  const auto length = static_cast<std::uint32_t>(bytes - kSkippableHeader);
  out.append(reinterpret_cast<const char*>(&magic), sizeof magic);
  out.append(reinterpret_cast<const char*>(&length), sizeof length);
  out.append(length, '\0');
}

}  // namespace

void ZstdCompressor::Free::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }
void ZstdDecompressor::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

ZstdCompressor::ZstdCompressor(int level) : context_(ZSTD_createCCtx()) {
  if (!context_) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
}

void ZstdCompressor::append(std::string_view plain, std::size_t min_bytes, std::string& out) {
  const std::size_t start = out.size();
  out.resize(start + ZSTD_compressBound(plain.size()));
  const std::size_t bytes =
      ZSTD_compress2(context_.get(), out.data() + start, out.size() - start, plain.data(), plain.size());
  if (ZSTD_isError(bytes) != 0) throw std::bad_alloc();  // with so much room, memory is all that can be missing
  out.resize(start + bytes);
  if (bytes < min_bytes) append_skippable(std::max(min_bytes - bytes, kSkippableHeader), out);
}

ZstdDecompressor::ZstdDecompressor() : context_(ZSTD_createDCtx()) {
  if (!context_) throw std::bad_alloc();
}

bool ZstdDecompressor::decompress(Bytes compressed, std::size_t plain_bytes, std::string& plain) {
  // The library may know older formats of its own, which few have ever tested: only today's is let in.
  const std::optional<std::uint32_t> magic = load<std::uint32_t>(compressed, 0);
  if (!magic || *magic != ZSTD_MAGICNUMBER) return false;
  const std::size_t frame_bytes = ZSTD_findFrameCompressedSize(compressed.data(), compressed.size());
  if (ZSTD_isError(frame_bytes) != 0) return false;
  plain.resize(plain_bytes);
  return ZSTD_decompressDCtx(context_.get(), plain.data(), plain.size(), compressed.data(), frame_bytes) == plain_bytes;
}

}  // namespace flametap::format
