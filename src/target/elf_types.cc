#include "target/elf_types.h"

#include <algorithm>
#include <cstring>

namespace flametap::target {
namespace {

Error refuse(const std::string& reason) { return {Failure::failed, reason, ""}; }

constexpr std::uint64_t round_up(std::uint64_t size, std::uint64_t unit) { return (size + unit - 1) / unit * unit; }

}  // namespace

Result<Elf64_Ehdr> parse_elf_header(Bytes bytes) {
  const std::optional<Elf64_Ehdr> header = load<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return refuse("not an ELF file");
  if (header->e_ident[EI_CLASS] != ELFCLASS64) {
    return refuse("a 32-bit program; only 64-bit x86-64 is supported");
  }
  if (header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_machine != EM_X86_64) {
    return refuse("for another kind of machine (ELF machine " + std::to_string(header->e_machine) +
                  "); only x86-64 is supported");
  }
  if (header->e_type != ET_EXEC && header->e_type != ET_DYN) {
    return refuse("neither a program nor a shared library (ELF type " + std::to_string(header->e_type) + ")");
  }
  if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum > kMaxProgramHeaders) {
    return refuse("an ELF file with damaged program headers");
  }
  return *header;
}

LoadSegment to_load_segment(const Elf64_Phdr& header) {
  return {.address = LinkAddress{header.p_vaddr},
          .memory_size = header.p_memsz,
          .offset = header.p_offset,
          .file_size = header.p_filesz,
          .writable = (header.p_flags & PF_W) != 0,
          .executable = (header.p_flags & PF_X) != 0};
}

bool is_definition(const Elf64_Sym& symbol) {
  if (symbol.st_shndx == SHN_UNDEF) return false;
  const auto type = ELF64_ST_TYPE(symbol.st_info);
  return type == STT_NOTYPE || type == STT_OBJECT || type == STT_FUNC;
}

BuildId find_build_id(Bytes notes) {
  std::size_t offset = 0;
  while (const auto note = load<Elf64_Nhdr>(notes, offset)) {
    const std::size_t name = offset + sizeof(Elf64_Nhdr);
    const std::size_t description = name + round_up(note->n_namesz, 4);
    if (description > notes.size() || notes.size() - description < note->n_descsz) break;
    const bool is_gnu = note->n_namesz == 4 && std::memcmp(notes.data() + name, "GNU", 4) == 0;
    if (is_gnu && note->n_type == NT_GNU_BUILD_ID) {
      const Bytes id = notes.subspan(description, note->n_descsz);
      return {id.begin(), id.end()};
    }
    offset = description + round_up(note->n_descsz, 4);
  }
  return {};
}

std::optional<Bias> find_bias(std::span<const LoadSegment> segments, std::span<const Mapping> mappings) {
  std::map<std::uint64_t, std::size_t> votes;
  for (const Mapping& mapping : mappings) {
    std::vector<std::uint64_t> candidates;
    for (const LoadSegment& segment : segments) {
      const std::uint64_t first = segment.offset / kPage * kPage;
      if (mapping.offset < first || mapping.offset - first >= segment.offset - first + segment.file_size) continue;
      const std::uint64_t at = to_number(segment.address) - segment.offset + mapping.offset;
      candidates.push_back(to_number(mapping.begin) - at);
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (const std::uint64_t candidate : candidates) ++votes[candidate];
  }
  std::optional<Bias> best;
  std::size_t most = 0;
  for (const auto& [bias, count] : votes) {
    if (bias % kPage != 0 || count <= most) continue;
    best = Bias{bias};
    most = count;
  }
  return best;
}

}  // namespace flametap::target
