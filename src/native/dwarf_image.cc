#include "native/dwarf_image.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace flametap::native {
namespace {

// Longer than any number or pair of numbers that could be read over an end.
constexpr std::size_t kPadding = 64;
constexpr std::size_t kMaxCopied = 64;

constexpr std::array<std::string_view, 10> kWanted{"info", "abbrev",   "line",        "line_str", "str",
                                                   "addr", "rnglists", "str_offsets", "ranges",   "types"};

// The name that a section has when it is not compressed, if it is one of those that we want.
std::optional<std::string> wanted_name(std::string_view name) {
  for (const std::string_view prefix : {".debug_", ".zdebug_"}) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view rest = name.substr(prefix.size());
    if (std::find(kWanted.begin(), kWanted.end(), rest) != kWanted.end()) return ".debug_" + std::string(rest);
  }
  return std::nullopt;
}

// Empty if it cannot be decompressed, or is longer than `limit`.
Bytes decompressed(ElfSections::Section section, std::uint64_t limit) {
  if ((section.header.sh_flags & SHF_COMPRESSED) != 0) {
    GElf_Chdr compressed{};
    if (gelf_getchdr(section.handle, &compressed) == nullptr || compressed.ch_size > limit) return {};
    if (elf_compress(section.handle, 0, 0) < 0) return {};
  } else if (section.name.starts_with(".zdebug_")) {
    // "ZLIB" and the size, with the highest byte first: an older way, which libelf bounds by what zlib can do.
    if (section.header.sh_size > limit / 1032 || elf_compress_gnu(section.handle, 0, 0) < 0) return {};
  }
  if (gelf_getshdr(section.handle, &section.header) == nullptr) return {};
  return ElfSections::bytes(section, limit);
}

class ImageBuilder {
 public:
  ImageBuilder() : bytes_(sizeof(Elf64_Ehdr)), headers_(1), names_(1, '\0') {}

  [[nodiscard]] std::uint64_t size() const { return bytes_.size(); }
  [[nodiscard]] bool is_full() const { return headers_.size() > kMaxCopied; }

  void add(const std::string& name, std::uint32_t type, Bytes bytes) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<Elf64_Word>(names_.size());
    header.sh_type = type;
    header.sh_offset = append(bytes);
    header.sh_size = bytes.size();
    header.sh_addralign = 1;
    headers_.push_back(header);
    names_.append(name).push_back('\0');
  }

  std::vector<std::byte> finish() && {
    const std::string names = names_ + ".shstrtab" + '\0';
    add(".shstrtab", SHT_STRTAB, std::as_bytes(std::span(names)));
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = EM_X86_64;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof(Elf64_Ehdr);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(headers_.size());
    header.e_shstrndx = static_cast<Elf64_Half>(headers_.size() - 1);
    header.e_shoff = append(std::as_bytes(std::span(headers_)));
    std::memcpy(bytes_.data(), &header, sizeof header);
    return std::move(bytes_);
  }

 private:
  // Gives the offset, which suits every type; zeros follow.
  std::uint64_t append(Bytes bytes) {
    const std::size_t offset = bytes_.size();
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    bytes_.resize((bytes_.size() + kPadding + 15) / 16 * 16);
    return offset;
  }

  std::vector<std::byte> bytes_;
  std::vector<Elf64_Shdr> headers_;
  std::string names_;
};

}  // namespace

std::optional<DwarfImage> DwarfImage::copy(Elf* elf) {
  const ElfSections sections(elf);
  ImageBuilder builder;
  for (const ElfSections::Section& section : sections.all()) {
    const std::optional<std::string> name = wanted_name(section.name);
    if (!name || section.header.sh_type == SHT_NOBITS || section.header.sh_size == 0) continue;
    const Bytes bytes = decompressed(section, kMaxDwarfBytes - std::min(builder.size(), kMaxDwarfBytes));
    // Without one of them the others would be misread.
    if (bytes.empty() || builder.is_full()) return std::nullopt;
    builder.add(*name, SHT_PROGBITS, bytes);
  }
  std::vector<std::byte> bytes = std::move(builder).finish();
  elf_version(EV_CURRENT);
  ElfHandle image(elf_memory(reinterpret_cast<char*>(bytes.data()), bytes.size()));
  if (!image) return std::nullopt;
  return DwarfImage(std::move(bytes), std::move(image));
}

}  // namespace flametap::native
