#include "native/elf_sections.h"

#include <algorithm>
#include <cstring>

namespace flametap::native {

ElfSections::ElfSections(Elf* elf) {
  std::size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) return;
  Elf_Scn* handle = nullptr;
  while ((handle = elf_nextscn(elf, handle)) != nullptr && sections_.size() < kMaxSections) {
    Section section{.handle = handle, .header = {}, .name = {}};
    if (gelf_getshdr(handle, &section.header) == nullptr) return;
    const char* const name = elf_strptr(elf, names, section.header.sh_name);
    if (name != nullptr) section.name = name;
    sections_.push_back(section);
  }
}

const ElfSections::Section* ElfSections::find(std::string_view name) const {
  const auto found =
      std::find_if(sections_.begin(), sections_.end(), [&](const Section& section) { return section.name == name; });
  return found != sections_.end() ? &*found : nullptr;
}

const ElfSections::Section* ElfSections::at(std::size_t index) const {
  // Section 0 stands for "none" and is not in the list.
  return index > 0 && index <= sections_.size() ? &sections_[index - 1] : nullptr;
}

Bytes ElfSections::bytes(const Section& section, std::size_t limit) {
  const GElf_Shdr& header = section.header;
  if (header.sh_type == SHT_NOBITS || (header.sh_flags & SHF_COMPRESSED) != 0 || header.sh_size > limit) return {};
  const Elf_Data* const data = elf_rawdata(section.handle, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const std::byte*>(data->d_buf), data->d_size};
}

target::BuildId ElfSections::build_id() const {
  for (const Section& section : sections_) {
    if (section.header.sh_type != SHT_NOTE) continue;
    target::BuildId id = target::find_build_id(bytes(section, target::kMaxNoteBytes));
    if (!id.empty()) return id;
  }
  return {};
}

std::string_view text_at(Bytes table, std::uint64_t offset, std::size_t limit) {
  if (offset >= table.size()) return {};
  const char* const begin = reinterpret_cast<const char*>(table.data() + offset);
  const std::size_t room = std::min(table.size() - offset, limit + 1);
  const void* const end = std::memchr(begin, 0, room);
  if (end == nullptr) return {};
  return {begin, static_cast<std::size_t>(static_cast<const char*>(end) - begin)};
}

}  // namespace flametap::native
