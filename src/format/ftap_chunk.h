// The frame of an .ftap file: its header, and the header of each chunk. See docs/formats/ftap.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "format/zstd.h"

namespace flametap::format {

inline constexpr std::string_view kFtapMagic =
    "\x89"
    "FTAP\r\n\x1a";
inline constexpr std::string_view kFtapMarker =
    "\xd3"
    "FTC";
inline constexpr std::uint8_t kFtapVersion = 4;
// The oldest version whose readers understand what we write; and where frames of the C stack are in it.
inline constexpr std::uint8_t kFtapMinReader = 1;
inline constexpr std::uint8_t kFtapMinNativeReader = 2;
inline constexpr std::uint8_t kFtapMinReadyReader = 4;  // of samples of the mode `ready` alone

inline constexpr std::size_t kFtapFileHeaderBytes = 24;
inline constexpr std::size_t kFtapChunkHeaderBytes = 32;

// What a chunk may hold, so that no file makes its reader allocate more than the file justifies.
inline constexpr std::size_t kFtapMaxPlain = std::size_t{4} << 20;
inline constexpr std::size_t kFtapMaxPayload = kFtapMaxPlain + (std::size_t{64} << 10);
inline constexpr std::size_t kFtapMaxExpansion = 32;  // plain bytes per byte of the chunk

// The kinds of sections in a chunk's content.
enum class FtapSection : std::uint8_t {
  recording = 1,
  strings = 2,
  functions = 3,
  frames = 4,
  stacks = 5,
  processes = 6,
  threads = 7,
  samples = 8,
  sources = 9,
};

struct FtapFileHeader {
  std::uint64_t recording_id = 0;
  std::uint8_t version = kFtapVersion;
  std::uint8_t min_reader = kFtapMinReader;
};

struct FtapChunkHeader {
  std::uint64_t recording_id = 0;
  std::uint32_t sequence = 0;
  std::uint32_t payload_bytes = 0;
  std::uint32_t plain_bytes = 0;
  bool last = false;
  std::uint8_t version = kFtapVersion;
  std::uint8_t min_reader = kFtapMinReader;
};

// Whether a file that starts like this is an .ftap file, be it cut or damaged in one place. Wants the first
// kFtapFileHeaderBytes + 4 bytes, as far as there are so many.
[[nodiscard]] bool looks_like_ftap(std::string_view start);

[[nodiscard]] std::string file_header(const FtapFileHeader& header);
// Nothing if it is none or is damaged.
[[nodiscard]] std::optional<FtapFileHeader> parse_file_header(Bytes bytes);

// Nothing if it cannot be the header of a chunk. Whether it is one, only the checksum can tell.
[[nodiscard]] std::optional<FtapChunkHeader> parse_chunk_header(Bytes bytes);
[[nodiscard]] bool checksum_fits(Bytes chunk);

class FtapChunkMaker {
 public:
  // The whole chunk, with its lengths and its checksum.
  void make(const FtapChunkHeader& header, std::string_view plain, std::string& chunk);

 private:
  // Measured on a second of samples: level 12 makes the file 4 % smaller and takes three times as long.
  static constexpr int kLevel = 3;
  ZstdCompressor compressor_{kLevel};
};

}  // namespace flametap::format
