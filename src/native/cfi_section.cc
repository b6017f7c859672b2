#include "native/cfi_section.h"

#include <dwarf.h>
#include <gelf.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "native/cfi_cursor.h"

namespace flametap::native {
namespace {

constexpr std::size_t kMaxAugmentation = 16;

struct Part {
  Bytes bytes;
  std::uint64_t address = 0;
};

Part part_of(const Elf_Data* data, std::uint64_t address) {
  if (data == nullptr || data->d_buf == nullptr || data->d_size > CfiSection::kMaxBytes) return {};
  return {{static_cast<const std::byte*>(data->d_buf), data->d_size}, address};
}

bool has_sections(Elf* elf) {
  std::size_t names = 0;
  return elf_getshdrstrndx(elf, &names) == 0 && names != SHN_UNDEF;
}

Part find_section(Elf* elf, std::string_view wanted) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return {};
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr header{};
    if (gelf_getshdr(section, &header) == nullptr) return {};
    const char* const name = elf_strptr(elf, names, header.sh_name);
    if (name == nullptr || name != wanted) continue;
    const bool usable = header.sh_type != SHT_NOBITS && (header.sh_flags & SHF_COMPRESSED) == 0;
    // Before it is read: the size is the file's to claim.
    if (!usable || header.sh_size > CfiSection::kMaxBytes) return {};
    return part_of(elf_rawdata(section, nullptr), header.sh_addr);
  }
  return {};
}

// From the place that the header of the search table names to the end of what is loaded with it.
Part find_by_program_headers(Elf* elf) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return {};
  std::optional<GElf_Phdr> table;
  std::vector<GElf_Phdr> loaded;
  for (std::size_t i = 0; i < std::min<std::size_t>(count, std::numeric_limits<std::uint16_t>::max()); ++i) {
    GElf_Phdr program{};
    if (gelf_getphdr(elf, static_cast<int>(i), &program) == nullptr) return {};
    if (program.p_type == PT_GNU_EH_FRAME) table = program;
    if (program.p_type == PT_LOAD) loaded.push_back(program);
  }
  struct [[gnu::packed]] Head {
    std::uint8_t version, pointer_encoding, count_encoding, table_encoding;
    std::int32_t pointer;
  };
  if (!table) return {};
  const Elf_Data* const data =
      elf_getdata_rawchunk(elf, static_cast<std::int64_t>(table->p_offset), sizeof(Head), ELF_T_BYTE);
  const auto head = load<Head>(part_of(data, 0).bytes, 0);
  // The one encoding that linkers use.
  if (!head || head->version != 1 || head->pointer_encoding != (DW_EH_PE_pcrel | DW_EH_PE_sdata4)) return {};
  const std::uint64_t address = table->p_vaddr + 4 + static_cast<std::uint64_t>(std::int64_t{head->pointer});
  for (const GElf_Phdr& program : loaded) {
    const std::uint64_t offset = address - program.p_vaddr;
    if (address < program.p_vaddr || offset >= program.p_filesz) continue;
    const std::uint64_t size = std::min(program.p_filesz - offset, CfiSection::kMaxBytes);
    return part_of(elf_getdata_rawchunk(elf, static_cast<std::int64_t>(program.p_offset + offset), size, ELF_T_BYTE),
                   address);
  }
  return {};
}

// A number in one of the formats for addresses; fails for those that no compiler uses in code's tables.
std::optional<std::uint64_t> read_encoded(CfiCursor& cursor, std::uint8_t encoding) {
  switch (encoding & 0x0f) {
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8:
      return cursor.fixed<std::uint64_t>();
    case DW_EH_PE_udata4:
      return cursor.fixed<std::uint32_t>();
    case DW_EH_PE_sdata4:
      return static_cast<std::uint64_t>(std::int64_t{cursor.fixed<std::int32_t>()});
    case DW_EH_PE_udata2:
      return cursor.fixed<std::uint16_t>();
    case DW_EH_PE_sdata2:
      return static_cast<std::uint64_t>(std::int64_t{cursor.fixed<std::int16_t>()});
    case DW_EH_PE_uleb128:
      return cursor.unsigned_leb();
    case DW_EH_PE_sleb128:
      return static_cast<std::uint64_t>(cursor.signed_leb());
    default:
      return std::nullopt;
  }
}

}  // namespace

CfiSection::CfiSection(Kind kind, Bytes bytes, std::uint64_t address) : kind_(kind), bytes_(bytes), address_(address) {
  index();
}

CfiSection CfiSection::eh_frame(Elf* elf) {
  const Part part = has_sections(elf) ? find_section(elf, ".eh_frame") : find_by_program_headers(elf);
  return {Kind::eh_frame, part.bytes, part.address};
}

CfiSection CfiSection::debug_frame(Elf* elf) {
  const Part part = find_section(elf, ".debug_frame");
  return {Kind::debug_frame, part.bytes, part.address};
}

void CfiSection::index() {
  std::size_t offset = 0;
  while (const std::optional<Entry> entry = entry_at(offset)) {
    offset = entry->end;
    if (is_common(*entry)) continue;
    const std::uint64_t common = kind_ == Kind::eh_frame ? entry->id_at - entry->id : entry->id;
    const Common* const found = common < bytes_.size() ? common_at(common) : nullptr;
    if (found == nullptr) continue;
    if (const std::optional<Indexed> function = parse_function(*entry, *found)) functions_.push_back(*function);
  }
  std::sort(functions_.begin(), functions_.end(),
            [](const Indexed& left, const Indexed& right) { return left.begin < right.begin; });
}

std::optional<CfiSection::Entry> CfiSection::entry_at(std::size_t offset) const {
  CfiCursor cursor(bytes_, offset);
  std::uint64_t length = cursor.fixed<std::uint32_t>();
  const bool is_wide = length == 0xffff'ffff;
  if (is_wide) length = cursor.fixed<std::uint64_t>();
  Entry entry{.begin = offset, .id_at = cursor.position()};
  // A length of 0 ends the section.
  if (cursor.failed() || length == 0 || length > bytes_.size() - entry.id_at) return std::nullopt;
  entry.end = entry.id_at + length;
  entry.id = is_wide && kind_ == Kind::debug_frame ? cursor.fixed<std::uint64_t>() : cursor.fixed<std::uint32_t>();
  entry.contents = cursor.position();
  if (cursor.failed() || entry.contents > entry.end) return std::nullopt;
  return entry;
}

bool CfiSection::is_common(const Entry& entry) const {
  if (kind_ == Kind::eh_frame) return entry.id == 0;
  return entry.id == 0xffff'ffff || entry.id == ~std::uint64_t{0};
}

const CfiSection::Common* CfiSection::common_at(std::size_t offset) {
  auto [place, is_new] = commons_.try_emplace(offset);
  if (is_new) {
    const std::optional<Entry> entry = entry_at(offset);
    if (entry && is_common(*entry)) place->second = parse_common(*entry);
  }
  return place->second ? &*place->second : nullptr;
}

std::optional<CfiSection::Common> CfiSection::parse_common(const Entry& entry) const {
  const Bytes bytes = bytes_.first(entry.end);
  CfiCursor cursor(bytes, entry.contents);
  Common common;
  const auto version = cursor.fixed<std::uint8_t>();
  const std::size_t letters = cursor.position();
  std::size_t count = 0;
  while (cursor.fixed<std::uint8_t>() != 0 && count <= kMaxAugmentation) ++count;
  if (cursor.failed() || count > kMaxAugmentation) return std::nullopt;
  if (version >= 4) {
    // The sizes of an address and of a segment's number.
    if (cursor.fixed<std::uint8_t>() != 8 || cursor.fixed<std::uint8_t>() != 0) return std::nullopt;
  }
  common.code_alignment = cursor.unsigned_leb();
  common.data_alignment = cursor.signed_leb();
  common.return_column = version == 1 ? cursor.fixed<std::uint8_t>() : cursor.unsigned_leb();
  if (!parse_augmentation(cursor, letters, count, bytes, common)) return std::nullopt;
  common.instructions = bytes.subspan(cursor.position());
  return common;
}

bool CfiSection::parse_augmentation(CfiCursor& cursor, std::size_t letters, std::size_t count, Bytes bytes,
                                    Common& common) {
  if (count == 0) return !cursor.failed();
  const auto letter = [&](std::size_t i) { return static_cast<char>(bytes[letters + i]); };
  if (letter(0) != 'z') return false;
  common.has_augmentation = true;
  const std::uint64_t size = cursor.unsigned_leb();
  const std::size_t begin = cursor.position();
  for (std::size_t i = 1; i < count; ++i) {
    if (letter(i) == 'R') {
      common.encoding = cursor.fixed<std::uint8_t>();
    } else if (letter(i) == 'L') {
      cursor.skip(1);
    } else if (letter(i) == 'P') {
      if (!read_encoded(cursor, cursor.fixed<std::uint8_t>())) return false;
    } else if (letter(i) == 'S') {
      common.signal_frame = true;
    } else if (letter(i) != 'B') {
      return false;
    }
  }
  if (cursor.failed() || cursor.position() - begin > size) return false;
  cursor.skip(size - (cursor.position() - begin));
  return !cursor.failed();
}

std::optional<CfiSection::Indexed> CfiSection::parse_function(const Entry& entry, const Common& common) const {
  CfiCursor cursor(bytes_.first(entry.end), entry.contents);
  const std::uint64_t here = address_ + entry.contents;
  const int relative_to = common.encoding & 0xf0;
  if (relative_to != DW_EH_PE_absptr && relative_to != DW_EH_PE_pcrel) return std::nullopt;
  const std::optional<std::uint64_t> begin = read_encoded(cursor, common.encoding);
  // The size has the format of the address, but is never negative.
  const std::optional<std::uint64_t> size = read_encoded(cursor, common.encoding & 0x07);
  if (!begin || !size || cursor.failed()) return std::nullopt;
  if (common.has_augmentation) cursor.skip(cursor.unsigned_leb());
  if (cursor.failed()) return std::nullopt;
  Indexed function{.begin = *begin + (relative_to == DW_EH_PE_pcrel ? here : 0), .common = &common};
  function.end = function.begin + *size;
  if (function.end <= function.begin) return std::nullopt;
  function.instructions = static_cast<std::uint32_t>(cursor.position());
  function.instructions_end = static_cast<std::uint32_t>(entry.end);
  return function;
}

CfiSection::Found CfiSection::find(std::uint64_t address) const {
  const auto after =
      std::upper_bound(functions_.begin(), functions_.end(), address,
                       [](std::uint64_t wanted, const Indexed& function) { return wanted < function.begin; });
  Found found{.begin = 0, .end = std::numeric_limits<std::uint64_t>::max(), .function = std::nullopt};
  if (after != functions_.end()) found.end = after->begin;
  if (after == functions_.begin()) return found;
  const Indexed& before = *std::prev(after);
  if (address >= before.end) {
    found.begin = before.end;
    return found;
  }
  found.begin = before.begin;
  found.end = before.end;
  const Bytes instructions = bytes_.subspan(before.instructions, before.instructions_end - before.instructions);
  found.function = Function{before.begin, before.end, before.common, instructions};
  return found;
}

}  // namespace flametap::native
