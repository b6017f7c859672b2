// The sections of an ELF that libelf has opened, for reading their bytes: bounded, and never translated or aligned.
//
// What is given back points into libelf's memory and lives as long as the Elf.
#pragma once

#include <gelf.h>
#include <libelf.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "target/elf_types.h"

namespace flametap::native {

// No real file comes near this. More are not read.
inline constexpr std::size_t kMaxSections = 64 * 1024;

struct ElfEnd {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfEnd>;

// Any ELF file, also one that is never loaded and so is no target::ElfFile.
struct OpenElf {
  Fd file;  // before the handle, which reads from it
  ElfHandle elf;
};

class ElfSections {
 public:
  struct Section {
    Elf_Scn* handle = nullptr;
    GElf_Shdr header{};
    std::string_view name;
  };

  explicit ElfSections(Elf* elf);

  [[nodiscard]] const std::vector<Section>& all() const { return sections_; }
  // The first of that name, or null.
  [[nodiscard]] const Section* find(std::string_view name) const;
  // The one with that index in the file, as other sections refer to it; or null.
  [[nodiscard]] const Section* at(std::size_t index) const;

  // Empty if it has no bytes in the file, is compressed, or is longer than `limit`.
  [[nodiscard]] static Bytes bytes(const Section& section, std::size_t limit);

  // The build id by its section. A separate debug file may have program headers that no longer lead to it.
  [[nodiscard]] target::BuildId build_id() const;

 private:
  std::vector<Section> sections_;
};

// The text at an offset of a string table; empty if it does not end within `limit` characters, or within the table.
[[nodiscard]] std::string_view text_at(Bytes table, std::uint64_t offset, std::size_t limit);

}  // namespace flametap::native
