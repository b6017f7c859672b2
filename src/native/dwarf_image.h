// DwarfImage: a copy of the DWARF of an ELF file, as an ELF in memory that holds nothing else.
//
// libdw trusts texts and tables to end inside of their section, and looks for further files that a section names. In
// this copy each section is followed by zeros, so that what runs over the end of one is harmless; sections that we
// never ask for, and those that name other files, are not in it; and the file need not stay open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "native/elf_sections.h"

namespace flametap::native {

// The largest programs have a gigabyte; offsets of 32 bits reach over more. Compressed sections count as what they
// become.
inline constexpr std::uint64_t kMaxDwarfBytes = std::uint64_t{2} << 30;

class DwarfImage {
 public:
  // Decompresses in place: `elf` must be the caller's own. Nothing if there is no DWARF in it that can be used: none,
  // too much, or only together with a file that it shares with others (dwz).
  [[nodiscard]] static std::optional<DwarfImage> copy(Elf* elf);

  // Never null; ends with this object.
  [[nodiscard]] Elf* elf() const { return elf_.get(); }

 private:
  DwarfImage(std::vector<std::byte> bytes, ElfHandle elf) : bytes_(std::move(bytes)), elf_(std::move(elf)) {}

  std::vector<std::byte> bytes_;  // before elf_, which points into it
  ElfHandle elf_;
};

}  // namespace flametap::native
