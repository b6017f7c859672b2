#include "native/dwarf_strings.h"

#include <cstdint>
#include <limits>

#include "native/elf_sections.h"
#include "native/function_symbols.h"

namespace flametap::native {

DwarfStrings::DwarfStrings(Elf* elf) {
  const ElfSections sections(elf);
  for (const ElfSections::Section& section : sections.all()) {
    if (!section.name.starts_with(".debug_") && !section.name.starts_with(".zdebug_")) continue;
    const Bytes bytes = ElfSections::bytes(section, std::numeric_limits<std::size_t>::max());
    if (!bytes.empty()) sections_.push_back(bytes);
  }
}

std::string_view DwarfStrings::find(Dwarf_Die& die, unsigned attribute) const {
  Dwarf_Attribute found{};
  const char* const text = dwarf_formstring(dwarf_attr_integrate(&die, attribute, &found));
  if (text == nullptr) return {};
  const auto address = reinterpret_cast<std::uintptr_t>(text);
  for (const Bytes section : sections_) {
    const auto offset = address - reinterpret_cast<std::uintptr_t>(section.data());
    if (offset < section.size()) return text_at(section, offset, kMaxFunctionName);
  }
  return {};
}

}  // namespace flametap::native
