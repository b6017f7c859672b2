#include "tracer/markers.h"

#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.h"

namespace flametap::tracer {
namespace {

// CPython has a few dozen places; a forged file must not keep us busy.
constexpr std::size_t kMaxNoteBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxMarkers = 4096;
constexpr std::size_t kMaxName = 128;
constexpr std::size_t kMaxArguments = 512;

constexpr std::uint32_t kNoteType = 3;  // NT_STAPSDT
constexpr std::string_view kOwner = "stapsdt";
constexpr std::string_view kProvider = "python";
constexpr std::size_t kSemaphoreSize = 2;

// A note as it stands in the file.
struct Note {
  std::uint64_t location = 0;
  std::uint64_t base = 0;  // where .stapsdt.base was when the note was written
  std::uint64_t semaphore = 0;
  std::string_view provider;
  std::string_view name;
  std::string_view arguments;
};

// The text in front of the next zero, which is taken off with it.
std::optional<std::string_view> take_text(std::string_view& rest) {
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view text = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return text;
}

std::optional<Note> parse_note(Bytes bytes) {
  const auto location = load<std::uint64_t>(bytes, 0);
  const auto base = load<std::uint64_t>(bytes, 8);
  const auto semaphore = load<std::uint64_t>(bytes, 16);
  if (!location || !base || !semaphore) return std::nullopt;
  const Bytes texts = bytes.subspan(24);
  std::string_view rest(reinterpret_cast<const char*>(texts.data()), texts.size());
  const auto provider = take_text(rest);
  const auto name = take_text(rest);
  const auto arguments = take_text(rest);
  if (!provider || !name || !arguments) return std::nullopt;
  return Note{*location, *base, *semaphore, *provider, *name, *arguments};
}

// Names and arguments are shown to people and written into scripts: nothing but what real ones are made of.
bool is_sound(const Note& note) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  return !note.name.empty() && note.name.size() <= kMaxName && note.arguments.size() <= kMaxArguments &&
         std::all_of(note.name.begin(), note.name.end(), is_word) &&
         std::all_of(note.arguments.begin(), note.arguments.end(), is_printable);
}

// Where the file itself has what is loaded to an address; nothing if no such part of it is loaded there.
std::optional<std::uint64_t> offset_of(const target::LoadSegment& segment, std::uint64_t address, std::uint64_t size) {
  const std::uint64_t inside = address - to_number(segment.address);
  if (address < to_number(segment.address) || inside >= segment.file_size || segment.file_size - inside < size)
    return std::nullopt;
  return segment.offset + inside;
}

std::optional<std::uint64_t> offset_of_code(std::span<const target::LoadSegment> segments, std::uint64_t address) {
  for (const target::LoadSegment& segment : segments) {
    if (!segment.executable) continue;
    if (const auto offset = offset_of(segment, address, 1)) return offset;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> offset_of_variable(std::span<const target::LoadSegment> segments, std::uint64_t address) {
  for (const target::LoadSegment& segment : segments) {
    if (!segment.writable) continue;
    if (const auto offset = offset_of(segment, address, kSemaphoreSize)) return offset;
  }
  return std::nullopt;
}

// Nothing if the note does not describe a place in this file. `base` is where .stapsdt.base is, or 0.
std::optional<Marker> to_marker(const Note& note, std::span<const target::LoadSegment> segments, std::uint64_t base) {
  // Prelinking moves the whole file but not what its notes say, except that the section shows by how far.
  const std::uint64_t moved = base != 0 && note.base != 0 ? base - note.base : 0;
  Marker marker{
      .name = std::string(note.name), .location = note.location + moved, .arguments = std::string(note.arguments)};
  const auto code = offset_of_code(segments, marker.location);
  if (!code) return std::nullopt;
  marker.offset = *code;
  if (note.semaphore == 0) return marker;
  marker.semaphore = note.semaphore + moved;
  const auto offset = offset_of_variable(segments, marker.semaphore);
  if (!offset) return std::nullopt;
  marker.semaphore_offset = *offset;
  return marker;
}

}  // namespace

Result<std::vector<Marker>> read_markers(const target::ElfFile& file) {
  std::vector<Marker> markers;
  const auto section = file.section(".note.stapsdt");
  if (!section || !section->in_file || section->size == 0) return markers;
  if (section->size > kMaxNoteBytes) {
    return Error{Failure::failed, "its list of markers has " + std::to_string(section->size) + " bytes", ""};
  }
  Elf_Data* const data =
      elf_getdata_rawchunk(file.handle(), static_cast<std::int64_t>(section->offset), section->size, ELF_T_NHDR);
  if (data == nullptr || data->d_buf == nullptr) {
    return Error{Failure::failed, std::string("its list of markers cannot be read: ") + elf_errmsg(-1), ""};
  }
  const auto base_section = file.section(".stapsdt.base");
  const std::uint64_t base = base_section ? to_number(base_section->address) : 0;
  const Bytes bytes(static_cast<const std::byte*>(data->d_buf), data->d_size);

  GElf_Nhdr header{};
  std::size_t name = 0;
  std::size_t content = 0;
  for (std::size_t at = 0; markers.size() < kMaxMarkers;) {
    at = gelf_getnote(data, at, &header, &name, &content);
    if (at == 0) break;  // the end, or damage
    const auto owner = bytes.subspan(name, header.n_namesz);
    if (header.n_type != kNoteType || owner.size() != kOwner.size() + 1 ||
        std::memcmp(owner.data(), kOwner.data(), kOwner.size() + 1) != 0)
      continue;
    const std::optional<Note> note = parse_note(bytes.subspan(content, header.n_descsz));
    if (!note || note->provider != kProvider || !is_sound(*note)) continue;
    if (auto marker = to_marker(*note, file.segments(), base)) markers.push_back(std::move(*marker));
  }
  std::stable_sort(markers.begin(), markers.end(),
                   [](const Marker& one, const Marker& other) { return one.location < other.location; });
  return markers;
}

}  // namespace flametap::tracer
