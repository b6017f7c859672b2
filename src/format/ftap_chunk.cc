#include "format/ftap_chunk.h"

#include <zlib.h>

#include <cassert>
#include <cstring>

#include "format/ftap_bytes.h"

namespace flametap::format {
namespace {

constexpr std::size_t kChecksumAt = 4;  // in the header of a chunk
constexpr std::size_t kCheckedFrom = kChecksumAt + sizeof(std::uint32_t);
constexpr std::uint8_t kLastFlag = 1;
constexpr std::uint8_t kZstd = 1;

std::uint32_t checksum(Bytes bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t checksum(std::string_view text) { return checksum(std::as_bytes(std::span(text))); }

bool starts_with(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::memcmp(bytes.data(), text.data(), text.size()) == 0;
}

}  // namespace

bool looks_like_ftap(std::string_view start) {
  if (start.empty()) return false;
  if (start.starts_with(kFtapMagic.substr(0, start.size()))) return true;
  return start.size() > kFtapFileHeaderBytes && start.substr(kFtapFileHeaderBytes).starts_with(kFtapMarker);
}

std::string file_header(const FtapFileHeader& header) {
  std::string bytes(kFtapMagic);
  put<std::uint64_t>(bytes, header.recording_id);
  put<std::uint8_t>(bytes, header.version);
  put<std::uint8_t>(bytes, header.min_reader);
  put<std::uint16_t>(bytes, 0);
  put<std::uint32_t>(bytes, checksum(bytes));
  assert(bytes.size() == kFtapFileHeaderBytes);
  return bytes;
}

std::optional<FtapFileHeader> parse_file_header(Bytes bytes) {
  if (bytes.size() < kFtapFileHeaderBytes || !starts_with(bytes, kFtapMagic)) return std::nullopt;
  FtapCursor cursor(bytes.subspan(kFtapMagic.size()));
  FtapFileHeader header;
  header.recording_id = cursor.take<std::uint64_t>();
  header.version = cursor.take<std::uint8_t>();
  header.min_reader = cursor.take<std::uint8_t>();
  (void)cursor.take<std::uint16_t>();
  const auto expected = cursor.take<std::uint32_t>();
  if (checksum(bytes.first(kFtapFileHeaderBytes - sizeof expected)) != expected) return std::nullopt;
  return header;
}

std::optional<FtapChunkHeader> parse_chunk_header(Bytes bytes) {
  if (bytes.size() < kFtapChunkHeaderBytes || !starts_with(bytes, kFtapMarker)) return std::nullopt;
  FtapCursor cursor(bytes.subspan(kCheckedFrom));
  FtapChunkHeader header;
  header.recording_id = cursor.take<std::uint64_t>();
  header.sequence = cursor.take<std::uint32_t>();
  header.payload_bytes = cursor.take<std::uint32_t>();
  header.plain_bytes = cursor.take<std::uint32_t>();
  header.last = (cursor.take<std::uint8_t>() & kLastFlag) != 0;
  const auto compression = cursor.take<std::uint8_t>();
  header.version = cursor.take<std::uint8_t>();
  header.min_reader = cursor.take<std::uint8_t>();
  if (header.min_reader <= kFtapVersion && compression != kZstd) return std::nullopt;
  const std::size_t chunk_bytes = kFtapChunkHeaderBytes + header.payload_bytes;
  if (header.payload_bytes > kFtapMaxPayload || header.plain_bytes > kFtapMaxPlain ||
      header.plain_bytes > kFtapMaxExpansion * chunk_bytes) {
    return std::nullopt;
  }
  return header;
}

bool checksum_fits(Bytes chunk) {
  const std::optional<std::uint32_t> expected = load<std::uint32_t>(chunk, kChecksumAt);
  return expected && chunk.size() >= kFtapChunkHeaderBytes && checksum(chunk.subspan(kCheckedFrom)) == *expected;
}

void FtapChunkMaker::make(const FtapChunkHeader& header, std::string_view plain, std::string& chunk) {
  assert(plain.size() <= kFtapMaxPlain);
  chunk.assign(kFtapChunkHeaderBytes, '\0');
  compressor_.append(plain, plain.size() / kFtapMaxExpansion + 1, chunk);

  std::string head(kFtapMarker);
  put<std::uint32_t>(head, 0);  // the checksum, once all that it is over is there
  put<std::uint64_t>(head, header.recording_id);
  put<std::uint32_t>(head, header.sequence);
  put<std::uint32_t>(head, static_cast<std::uint32_t>(chunk.size() - kFtapChunkHeaderBytes));
  put<std::uint32_t>(head, static_cast<std::uint32_t>(plain.size()));
  put<std::uint8_t>(head, header.last ? kLastFlag : std::uint8_t{0});
  put<std::uint8_t>(head, kZstd);
  put<std::uint8_t>(head, header.version);
  put<std::uint8_t>(head, header.min_reader);
  assert(head.size() == kFtapChunkHeaderBytes);
  chunk.replace(0, head.size(), head);
  const std::uint32_t sum = checksum(std::string_view(chunk).substr(kCheckedFrom));
  std::memcpy(chunk.data() + kChecksumAt, &sum, sizeof sum);
}

}  // namespace flametap::format
