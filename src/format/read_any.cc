#include "format/read_any.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "base/fd.h"
#include "format/byte_source.h"
#include "format/folded.h"
#include "format/ftap_chunk.h"
#include "format/ftap_reader.h"
#include "format/gzip.h"
#include "format/html.h"
#include "format/json.h"
#include "format/json_document.h"
#include "format/limits.h"
#include "format/pprof.h"
#include "format/read_all.h"
#include "format/speedscope.h"

namespace flametap::format {
namespace {

Error not_readable(const std::string& what) {
  return Error{Failure::failed, "this is " + what + ", which is for looking at and cannot be read back",
               "keep the recording as json (-f json) and make the others from it"};
}

// The size of a regular file that begins like an .ftap recording, which may be larger than memory.
std::optional<std::uint64_t> recording_size(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::array<char, kFtapFileHeaderBytes + kFtapMarker.size()> start{};
  const ssize_t got = ::pread(file, start.data(), start.size(), 0);
  if (got < 0 || !looks_like_ftap({start.data(), static_cast<std::size_t>(got)})) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

Result<ReadProfile> read_file(int file, const ReadOptions& options) {
  if (const std::optional<std::uint64_t> size = recording_size(file))
    return read_ftap(FileSource(file, *size), options);
  const Result<std::string> content = read_all(file, kMaxFileBytes);
  if (!content) return content.error();
  return read_any_text(*content, options);
}

Result<ReadProfile> read_object(std::string_view content, const ReadOptions& options) {
  switch (kind_of_json(content)) {
    case JsonKind::speedscope:
      return read_speedscope(content, options);
    case JsonKind::chrome_trace:
      return not_readable("a trace for Chrome");
    case JsonKind::cpu_profile:
      return not_readable("a CPU profile for Chrome");
    case JsonKind::flametap:
    case JsonKind::other:
      break;
  }
  Result<profile::Profile> profile = read_json(content);
  if (!profile) return profile.error();
  return ReadProfile{std::move(*profile), {}};
}

Result<ReadProfile> read_plain(std::string_view content, const ReadOptions& options) {
  const std::size_t start = content.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return Error{Failure::failed, "the file is empty", ""};
  if (looks_like_pprof(content)) return read_pprof(content, options);
  const std::string_view text = content.substr(start);
  if (looks_like_html(text)) return read_html(text, options);
  for (const std::string_view start_of_page : {"<?xml", "<svg", "<!", "<html"}) {  // `<module>` is a frame
    if (text.starts_with(start_of_page)) return not_readable("a picture or a page");
  }
  constexpr std::size_t kHead = 4096;
  if (text.starts_with("[{") && text.substr(0, kHead).find("\"ph\":") != std::string_view::npos) {
    return not_readable("a trace for Chrome");
  }
  if (content.starts_with("MOJ")) {
    return Error{Failure::failed, "this is Austin's binary format", "convert it to text with mojo2austin"};
  }
  return text.starts_with('{') ? read_object(content, options) : read_folded(content, options);
}

Result<ReadProfile> read_gzip(std::string_view content, const ReadOptions& options) {
  Unpacked unpacked = gunzip(content);
  if (unpacked.damage.empty()) return read_plain(unpacked.content, options);
  if (unpacked.content.empty()) return Error{Failure::failed, unpacked.damage, ""};
  if (!looks_like_pprof(unpacked.content) && !looks_like_html(unpacked.content)) {
    // A line that is cut off may end with a part of its count.
    unpacked.content.resize(unpacked.content.rfind('\n') + 1);
  }
  const std::string loss = "the rest of the file is missing: " + unpacked.damage;
  Result<ReadProfile> read = read_plain(unpacked.content, options);
  if (!read) return read.error().within(loss);
  read->warnings.insert(read->warnings.begin(), loss);
  return read;
}

}  // namespace

Result<ReadProfile> read_any_text(std::string_view content, const ReadOptions& options) {
  if (looks_like_ftap(content)) return read_ftap(MemorySource(std::as_bytes(std::span(content))), options);
  return content.starts_with("\x1f\x8b") ? read_gzip(content, options) : read_plain(content, options);
}

Result<ReadProfile> read_any(const std::string& path, const ReadOptions& options) {
  const Fd opened(path == "-" ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (path != "-" && !opened) return errno_error("cannot open " + path, errno);
  Result<ReadProfile> read = read_file(path == "-" ? STDIN_FILENO : opened.get(), options);
  if (!read) return read.error().within("cannot read " + path);
  return read;
}

}  // namespace flametap::format
