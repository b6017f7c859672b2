// Whatever the bytes, read_ftap gives an error or a profile that every writer takes and that reads back as itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "format/byte_source.h"
#include "format/format.h"
#include "format/ftap_chunk.h"
#include "format/ftap_reader.h"
#include "format/ftap_writer.h"
#include "format/json.h"

namespace {

using namespace flametap;
using namespace flametap::format;

// The bytes as they are, or as the content of a few chunks with good checksums, which a fuzzer would hardly ever find:
// the first byte says which.
std::string file_of(std::string_view input) {
  if (input.empty()) return {};
  const auto way = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  if (way % 4 == 0) return std::string(input);
  std::string file = file_header({.recording_id = 1});
  std::string chunk;
  FtapChunkMaker maker;
  const std::size_t pieces = way % 4;
  for (std::uint32_t i = 0; i < pieces; ++i) {
    const std::string_view content = input.substr(0, input.size() / (pieces - i));
    input.remove_prefix(content.size());
    maker.make({.recording_id = 1, .sequence = i, .last = (way & 8) != 0}, content, chunk);
    file += chunk;
  }
  return file;
}

Result<ReadProfile> read(const std::string& file, bool keep_time) {
  return read_ftap(MemorySource(std::as_bytes(std::span(file))), {.keep_time = keep_time});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file = file_of({reinterpret_cast<const char*>(data), size});
  const Result<ReadProfile> all = read(file, true);
  const Result<ReadProfile> merged = read(file, false);
  if (all.ok() != merged.ok()) std::abort();
  if (!all) return 0;
  if (all->profile.total_ticks() != merged->profile.total_ticks()) std::abort();
  if (all->profile.total_weight_ns() != merged->profile.total_weight_ns()) std::abort();
  for (const Format format : {Format::svg, Format::folded, Format::speedscope, Format::pprof}) {
    (void)write(format, all->profile);
  }
  const std::string once = write_ftap(all->profile);
  const Result<ReadProfile> again = read(once, true);
  if (!again || !again->warnings.empty()) std::abort();
  if (write_json(again->profile) != write_json(all->profile)) std::abort();
  return 0;
}
