#include "recorded_image.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "cpython/debug_offsets.h"
#include "cpython/layout_table.h"
#include "format/zstd.h"

namespace flametap::bench {
namespace {

using target::Address;
using target::ReadStatus;
using target::to_number;

constexpr std::size_t kMaxPlain = std::size_t{64} << 20;
constexpr int kCompression = 19;

// What the compressed part of the file begins with; pages follow, each behind its address.
struct Head {
  std::array<char, 8> magic{'f', 't', 'i', 'm', 'a', 'g', 'e', '1'};
  std::array<std::int32_t, 4> version{};  // major, minor, micro, 0
  std::uint64_t runtime = 0;
  std::uint64_t current_thread = 0;
  std::uint64_t gil = 0;
  std::uint64_t gil_size = 0;
  std::uint64_t collecting = 0;
};

template <typename T>
void put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Of characters of so many bytes each.
void hide_paths_of_width(std::string& content, std::size_t width) {
  constexpr std::size_t kShortest = 8;
  constexpr std::string_view kHarmless = "/srv/app/";
  std::string text;
  for (std::size_t at = 0; at <= content.size(); at += width) {
    const bool printable = at < content.size() && content[at] >= ' ' && content[at] <= '~' &&
                           content.find_first_not_of('\0', at + 1) >= at + width;
    if (printable) {
      text += content[at];
      continue;
    }
    if (text.size() >= kShortest && text.find('/') != text.npos && !text.starts_with(kHarmless)) {
      for (std::size_t i = 1; i <= text.size(); ++i) content[at - i * width] = 'x';
    }
    text.clear();
  }
}

Error not_an_image(const std::string& path) { return {Failure::failed, path + " is no recorded image", ""}; }

Result<cpython::Layout> layout_of(const cpython::Interpreter& interpreter, RecordedMemory& memory) {
  std::array<std::byte, cpython::kDebugOffsetsRead> start{};
  if (memory.read(interpreter.runtime, start) == ReadStatus::ok && cpython::has_debug_offsets(start)) {
    return cpython::layout_from_debug_offsets(start);
  }
  const cpython::Layout* const layout = cpython::find_layout(interpreter.version, false);
  if (layout == nullptr) return Error{Failure::failed, "no layout for " + to_string(interpreter.version), ""};
  return *layout;
}

}  // namespace

Result<void> RecordedImage::write(const std::string& path) const {
  Head head;
  head.version = {interpreter.version.major, interpreter.version.minor, interpreter.version.micro, 0};
  head.runtime = to_number(interpreter.runtime);
  head.current_thread = to_number(interpreter.current_thread);
  head.gil = to_number(interpreter.gil);
  head.gil_size = interpreter.gil_size;
  head.collecting = to_number(interpreter.collecting);
  std::string plain;
  put(plain, head);
  for (const auto& [address, page] : pages) {
    put(plain, address);
    put(plain, page);
  }
  std::string file;
  put(file, std::uint64_t{plain.size()});
  format::ZstdCompressor(kCompression).append(plain, 0, file);
  std::ofstream out(path, std::ios::binary);
  out << file << std::flush;
  return out ? Result<void>{} : errno_error("cannot write " + path, errno);
}

Result<RecordedImage> RecordedImage::read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string file(std::istreambuf_iterator<char>(in), {});
  const Bytes bytes = std::as_bytes(std::span(file));
  const auto size = load<std::uint64_t>(bytes, 0);
  std::string plain;
  if (!size || *size > kMaxPlain || !format::ZstdDecompressor().decompress(bytes.subspan(sizeof *size), *size, plain)) {
    return not_an_image(path);
  }
  const Bytes content = std::as_bytes(std::span(plain));
  const auto head = load<Head>(content, 0);
  if (!head || head->magic != Head{}.magic) return not_an_image(path);
  RecordedImage image;
  image.interpreter.version = {head->version[0], head->version[1], head->version[2]};
  image.interpreter.runtime = Address{head->runtime};
  image.interpreter.current_thread = Address{head->current_thread};
  image.interpreter.gil = Address{head->gil};
  image.interpreter.gil_size = head->gil_size;
  image.interpreter.collecting = Address{head->collecting};
  for (std::size_t at = sizeof *head; at < content.size(); at += sizeof(std::uint64_t) + kPageSize) {
    const auto address = load<std::uint64_t>(content, at);
    const auto page = load<Page>(content, at + sizeof *address);
    if (!page) return not_an_image(path);
    image.pages[*address] = *page;
  }
  RecordedMemory memory(image.pages);
  auto layout = layout_of(image.interpreter, memory);
  if (!layout) return layout.error();
  image.interpreter.layout = std::move(*layout);
  return image;
}

void hide_paths(Pages& pages) {
  for (auto first = pages.begin(); first != pages.end();) {
    // Texts go on from one page to the next.
    auto end = first;
    std::string content;
    for (; end != pages.end() && end->first == first->first + content.size(); ++end) {
      content.append(reinterpret_cast<const char*>(end->second.data()), kPageSize);
    }
    for (const std::size_t width : {1, 2, 4}) hide_paths_of_width(content, width);
    for (std::size_t at = 0; first != end; ++first, at += kPageSize) {
      std::memcpy(first->second.data(), content.data() + at, kPageSize);
    }
  }
}

RecordedMemory::RecordedMemory(const Pages& pages) {
  for (const auto& [address, page] : pages) {
    if (ranges_.empty() || ranges_.back().from + ranges_.back().content.size() != address) {
      ranges_.push_back({address, {}});
    }
    ranges_.back().content.insert(ranges_.back().content.end(), page.begin(), page.end());
  }
}

// By this name callgrind knows what not to count.
extern "C" [[gnu::noipa]] target::ReadResult recorded_memory_read(RecordedMemory& memory,
                                                                  std::span<const target::Segment> segments) {
  return memory.read_counted(segments);
}

target::ReadResult RecordedMemory::read(std::span<const target::Segment> segments) {
  return counting_ ? recorded_memory_read(*this, segments) : copy(segments);
}

target::ReadResult RecordedMemory::read_counted(std::span<const target::Segment> segments) {
  counts_.readings += 1;
  counts_.stretches += segments.size();
  for (const target::Segment& segment : segments) counts_.bytes += segment.to.size();
  return copy(segments);
}

target::ReadResult RecordedMemory::copy(std::span<const target::Segment> segments) const {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::uint64_t from = to_number(segments[i].from);
    const std::size_t size = segments[i].to.size();
    const auto behind = std::ranges::upper_bound(ranges_, from, {}, &Range::from);
    if (behind == ranges_.begin()) return {ReadStatus::unmapped, i};
    const Range& range = *std::prev(behind);
    const std::uint64_t offset = from - range.from;
    if (offset > range.content.size() || range.content.size() - offset < size) return {ReadStatus::unmapped, i};
    std::memcpy(segments[i].to.data(), range.content.data() + offset, size);
  }
  return {ReadStatus::ok, segments.size()};
}

target::ReadResult PageRecorder::read(std::span<const target::Segment> segments) {
  const target::ReadResult result = live_.read(segments);
  for (const target::Segment& segment : segments.first(result.filled)) {
    const std::uint64_t end = to_number(segment.from) + segment.to.size();
    for (std::uint64_t page = to_number(segment.from) / kPageSize * kPageSize; page < end; page += kPageSize) {
      if (pages_.contains(page)) continue;
      if (live_.read(Address{page}, pages_[page]) != ReadStatus::ok) pages_.erase(page);
    }
  }
  return result;
}

}  // namespace flametap::bench
