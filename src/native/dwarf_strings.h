// DwarfStrings: the texts in the attributes of DWARF.
//
// libdw gives a text as a pointer into a section without making sure that it ends there. Knows the sections that libdw
// has read from an Elf, and lives as long as both.
#pragma once

#include <elfutils/libdw.h>
#include <libelf.h>

#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace flametap::native {

class DwarfStrings {
 public:
  // After dwarf_begin_elf, which decompresses sections.
  explicit DwarfStrings(Elf* elf);
  DwarfStrings() = default;

  // Also looks where the DIE is an instance of something; empty if it is not there, or longer than any name.
  [[nodiscard]] std::string_view find(Dwarf_Die& die, unsigned attribute) const;

 private:
  std::vector<Bytes> sections_;
};

}  // namespace flametap::native
