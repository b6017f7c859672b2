#include "native/mini_debug.h"

#include <lzma.h>

#include <algorithm>
#include <cstdint>

#include "target/elf_types.h"

namespace flametap::native {
namespace {

// xz -9 needs this much; a stream that asks for more is not one of these.
constexpr std::uint64_t kMaxDecoderMemory = 80u << 20;

}  // namespace

std::vector<std::byte> decompress_xz(Bytes compressed, std::size_t limit) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kMaxDecoderMemory, 0) != LZMA_OK) return {};
  std::vector<std::byte> output;
  stream.next_in = reinterpret_cast<const std::uint8_t*>(compressed.data());
  stream.avail_in = compressed.size();
  lzma_ret status = LZMA_OK;
  while (status == LZMA_OK && output.size() < limit) {
    const std::size_t filled = output.size();
    output.resize(std::min(limit, std::max<std::size_t>(64 * 1024, 2 * filled)));
    stream.next_out = reinterpret_cast<std::uint8_t*>(output.data() + filled);
    stream.avail_out = output.size() - filled;
    status = lzma_code(&stream, LZMA_FINISH);
    output.resize(output.size() - stream.avail_out);
  }
  lzma_end(&stream);
  if (status != LZMA_STREAM_END) output.clear();
  return output;
}

MiniDebug MiniDebug::open(const ElfSections& sections) {
  MiniDebug result;
  const ElfSections::Section* const section = sections.find(".gnu_debugdata");
  if (section == nullptr) return result;
  result.bytes_ = decompress_xz(ElfSections::bytes(*section, kMaxMiniDebugBytes), kMaxMiniDebugBytes);
  if (!target::parse_elf_header(result.bytes_)) return result;
  elf_version(EV_CURRENT);
  result.elf_.reset(elf_memory(reinterpret_cast<char*>(result.bytes_.data()), result.bytes_.size()));
  return result;
}

}  // namespace flametap::native
