// FtapScanner: finds the sound chunks of an .ftap file, in their order, and passes over whatever is damaged.
//
// A chunk is sound if its checksum fits, it belongs to this recording and its number is higher than that of the one
// before. Where there is none, the scanner looks for the next marker. The work is linear in the size of the file,
// whatever stands in it; the memory is that of one chunk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/byte_source.h"
#include "format/ftap_chunk.h"
#include "format/zstd.h"

namespace flametap::format {

class FtapScanner {
 public:
  // What was met so far, besides sound chunks.
  struct Findings {
    bool header_damaged = false;
    std::uint64_t damaged_stretches = 0;  // without the one at the end
    std::uint64_t damaged_bytes = 0;
    std::uint64_t cut_bytes = 0;       // at the end: a chunk that is not whole, or none at all
    std::uint64_t foreign_chunks = 0;  // of another recording, or of this one for the second time
    std::uint64_t newer_chunks = 0;    // that only a newer reader understands
    std::uint64_t lost_chunks = 0;     // whose numbers are missing
  };

  // Borrows the source. Fails if the file was written for newer readers only.
  [[nodiscard]] static Result<FtapScanner> open(const ByteSource& source);

  // Moves on to the next sound chunk; false at the end of the file.
  [[nodiscard]] Result<bool> next();

  // Of the chunk that `next` found.
  [[nodiscard]] const FtapChunkHeader& header() const { return header_; }
  [[nodiscard]] Bytes plain() const { return std::as_bytes(std::span(plain_)); }

  [[nodiscard]] const Findings& findings() const { return findings_; }

 private:
  explicit FtapScanner(const ByteSource& source);

  enum class Seen : std::uint8_t { sound, not_ours, broken, no_chunk };

  [[nodiscard]] Result<Seen> look();
  [[nodiscard]] Seen judge(Bytes chunk);
  [[nodiscard]] Result<std::uint64_t> next_marker(std::uint64_t from);
  [[nodiscard]] Result<Bytes> peek(std::uint64_t offset, std::size_t count);
  void end_damage();

  const ByteSource* source_;
  std::uint64_t position_ = 0;
  std::optional<std::uint64_t> damaged_from_;  // up to the position nothing is sound
  // How many bytes may still be read in vain. After that, what looks like a chunk and is none is skipped whole; before,
  // there may be a sound one inside. Without this, chunks that overlap would make the work grow with the square.
  std::uint64_t budget_in_vain_;
  std::optional<std::uint64_t> recording_id_;
  std::int64_t last_sequence_ = -1;
  FtapChunkHeader header_;
  Findings findings_;
  std::vector<std::byte> buffer_;  // a stretch of the file
  std::uint64_t buffer_offset_ = 0;
  std::string plain_;
  ZstdDecompressor decompressor_;
};

}  // namespace flametap::format
