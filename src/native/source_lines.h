// SourceLines: the source lines and the inlined functions at the addresses of one ELF, by its DWARF.
//
// Nothing is read before the first question; that one copies the DWARF into memory and lets go of the file, and may
// take a second for the largest programs. Bounded in all: what is deeper, longer or more than any compiler writes is as
// if it were not there. Programs with split DWARF (.dwo), and those that share some with others (dwz), have no lines
// here. Not safe for concurrent calls.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "native/elf_sections.h"
#include "target/elf_file.h"
#include "target/elf_types.h"

namespace flametap::native {

// One function at an address.
struct SourceFrame {
  std::string raw_name;         // mangled where it has such a name; may be empty
  std::string file;             // where it is at this address: the line there, or of the call that was inlined
  std::int32_t line = 0;        // 0: not known; the file is then the one of the function
  std::int32_t first_line = 0;  // of the function
  bool inlined = false;
};

class SourceLines {
 public:
  // `shared` is the file with which it shares DWARF, if it does.
  explicit SourceLines(target::ElfFile file, std::optional<OpenElf> shared = std::nullopt);
  SourceLines(SourceLines&&) noexcept;
  SourceLines& operator=(SourceLines&&) noexcept;
  ~SourceLines();

  // Whether an ELF has DWARF that is worth a question.
  [[nodiscard]] static bool has_any(Elf* elf);

  // The innermost inlined function first, the function itself last. Empty if nothing is known. Where the line is known
  // but not the function, one frame without a name.
  [[nodiscard]] std::vector<SourceFrame> find(target::LinkAddress address);

 private:
  class Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace flametap::native
