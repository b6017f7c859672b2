#include "format/ftap_scanner.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace flametap::format {
namespace {

constexpr std::size_t kWindow = std::size_t{64} << 10;
constexpr std::uint64_t kReadInVain = 2;  // times the size of the file

Error too_new(unsigned version) {
  return Error{Failure::failed,
               "it was written by a newer flametap, in version " + std::to_string(version) +
                   " of the format; this one reads version " + std::to_string(kFtapVersion),
               "use a newer flametap"};
}

}  // namespace

FtapScanner::FtapScanner(const ByteSource& source)
    : source_(&source), budget_in_vain_(kReadInVain * source.size() + kFtapMaxPayload) {}

Result<FtapScanner> FtapScanner::open(const ByteSource& source) {
  FtapScanner scanner(source);
  std::array<std::byte, kFtapFileHeaderBytes> start{};
  const Result<std::size_t> got = source.read(0, start);
  if (!got) return got.error();
  const std::optional<FtapFileHeader> header = parse_file_header(Bytes(start).first(*got));
  if (!header) {
    scanner.findings_.header_damaged = true;  // nothing stands in it that is not in every chunk, too
  } else {
    if (header->min_reader > kFtapVersion) return too_new(header->version);
    scanner.recording_id_ = header->recording_id;
  }
  // Even if it is damaged, the first chunk most likely follows at its place; if not, it will be searched for.
  scanner.position_ = std::min<std::uint64_t>(kFtapFileHeaderBytes, source.size());
  return scanner;
}

Result<bool> FtapScanner::next() {
  while (position_ < source_->size()) {
    const Result<Seen> seen = look();
    if (!seen) return seen.error();
    const std::uint64_t chunk_end = position_ + kFtapChunkHeaderBytes + header_.payload_bytes;
    if (*seen == Seen::sound || *seen == Seen::not_ours) {
      end_damage();
      position_ = chunk_end;
      if (*seen == Seen::sound) return true;
      continue;
    }
    if (!damaged_from_) damaged_from_ = position_;
    if (*seen == Seen::broken && budget_in_vain_ == 0) {
      position_ = chunk_end;
      continue;
    }
    const Result<std::uint64_t> marker = next_marker(position_ + 1);
    if (!marker) return marker.error();
    position_ = *marker;
  }
  if (damaged_from_) findings_.cut_bytes = source_->size() - *std::exchange(damaged_from_, std::nullopt);
  return false;
}

void FtapScanner::end_damage() {
  if (!damaged_from_) return;
  findings_.damaged_stretches += 1;
  findings_.damaged_bytes += position_ - *damaged_from_;
  damaged_from_.reset();
}

Result<FtapScanner::Seen> FtapScanner::look() {
  const Result<Bytes> start = peek(position_, kFtapChunkHeaderBytes);
  if (!start) return start.error();
  const std::optional<FtapChunkHeader> header = parse_chunk_header(*start);
  if (!header) return Seen::no_chunk;
  const std::size_t chunk_bytes = kFtapChunkHeaderBytes + header->payload_bytes;
  if (chunk_bytes > source_->size() - position_) return Seen::no_chunk;
  const Result<Bytes> chunk = peek(position_, chunk_bytes);
  if (!chunk) return chunk.error();
  if (chunk->size() < chunk_bytes) return Seen::no_chunk;  // the file was cut meanwhile
  header_ = *header;
  const Seen seen = judge(*chunk);
  if (seen == Seen::broken) budget_in_vain_ -= std::min<std::uint64_t>(budget_in_vain_, chunk_bytes);
  return seen;
}

FtapScanner::Seen FtapScanner::judge(Bytes chunk) {
  if (!checksum_fits(chunk)) return Seen::broken;
  if (!recording_id_) recording_id_ = header_.recording_id;
  if (header_.recording_id != *recording_id_ || header_.sequence <= last_sequence_) {
    findings_.foreign_chunks += 1;
    return Seen::not_ours;
  }
  if (header_.min_reader > kFtapVersion) {
    findings_.newer_chunks += 1;
    return Seen::not_ours;
  }
  if (!decompressor_.decompress(chunk.subspan(kFtapChunkHeaderBytes), header_.plain_bytes, plain_)) return Seen::broken;
  findings_.lost_chunks += static_cast<std::uint64_t>(header_.sequence - last_sequence_ - 1);
  last_sequence_ = header_.sequence;
  return Seen::sound;
}

// Where the next marker stands, or the end of the file.
Result<std::uint64_t> FtapScanner::next_marker(std::uint64_t from) {
  while (from < source_->size()) {
    const Result<Bytes> bytes = peek(from, kFtapMarker.size());
    if (!bytes) return bytes.error();
    const std::size_t in_buffer = static_cast<std::size_t>(from - buffer_offset_);
    const std::string_view text(reinterpret_cast<const char*>(buffer_.data()), buffer_.size());
    const std::size_t found = text.find(kFtapMarker, std::min(in_buffer, text.size()));
    if (found != std::string_view::npos) return buffer_offset_ + found;
    if (bytes->size() < kFtapMarker.size()) break;
    from = buffer_offset_ + buffer_.size() - (kFtapMarker.size() - 1);  // a marker may begin in the last bytes
  }
  return source_->size();
}

// The bytes from `offset` on; fewer only at the end of the file. They are good until the next call.
Result<Bytes> FtapScanner::peek(std::uint64_t offset, std::size_t count) {
  const bool there = offset >= buffer_offset_ && offset - buffer_offset_ <= buffer_.size() &&
                     buffer_.size() - (offset - buffer_offset_) >= count;
  if (!there) {
    buffer_.resize(std::max(count, kWindow));
    const Result<std::size_t> got = source_->read(offset, buffer_);
    if (!got) return got.error();
    buffer_.resize(*got);
    buffer_offset_ = offset;
  }
  const auto start = static_cast<std::size_t>(offset - buffer_offset_);
  return Bytes(buffer_).subspan(start, std::min(count, buffer_.size() - start));
}

}  // namespace flametap::format
