// MiniDebug: the symbol table that some distributions leave in stripped programs: a small ELF, compressed with xz, in
// the section .gnu_debugdata.
#pragma once

#include <cstddef>
#include <vector>

#include "base/bytes.h"
#include "native/elf_sections.h"

namespace flametap::native {

// Real ones are a few megabytes. What would become larger is left out.
inline constexpr std::size_t kMaxMiniDebugBytes = 64u << 20;

class MiniDebug {
 public:
  // Without an ELF if there is none in it, or it is damaged.
  [[nodiscard]] static MiniDebug open(const ElfSections& sections);

  // Null if there is none; ends with this object.
  [[nodiscard]] Elf* elf() const { return elf_.get(); }

 private:
  std::vector<std::byte> bytes_;  // before elf_, which points into it
  ElfHandle elf_;
};

// Empty if it is damaged, or would be longer than `limit`.
[[nodiscard]] std::vector<std::byte> decompress_xz(Bytes compressed, std::size_t limit);

}  // namespace flametap::native
