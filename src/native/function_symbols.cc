#include "native/function_symbols.h"

#include <algorithm>
#include <unordered_map>

namespace flametap::native {
namespace {

constexpr std::size_t kMaxTableBytes = 1u << 30;
constexpr std::size_t kMaxPltBytes = 16u << 20;

// "read@GLIBC_2.2.5" and "read@@GLIBC_2.2.5" are read.
std::string_view without_version(std::string_view name) {
  const std::size_t at = name.find('@');
  return at == std::string_view::npos || at == 0 ? name : name.substr(0, at);
}

bool is_in_file(const Elf64_Sym& symbol) {
  return symbol.st_shndx != SHN_UNDEF && symbol.st_shndx != SHN_ABS && symbol.st_shndx != SHN_COMMON;
}

// By the slot of the global offset table that a relocation fills: the name of the function.
using Slots = std::unordered_map<std::uint64_t, std::string_view>;

void add_slots(const ElfSections& sections, const ElfSections::Section& relocations, Slots& slots) {
  const ElfSections::Section* const table = sections.at(relocations.header.sh_link);
  const ElfSections::Section* const names = table != nullptr ? sections.at(table->header.sh_link) : nullptr;
  if (names == nullptr) return;
  const Bytes symbols = ElfSections::bytes(*table, kMaxTableBytes);
  const Bytes texts = ElfSections::bytes(*names, kMaxTableBytes);
  const Bytes bytes = ElfSections::bytes(relocations, kMaxTableBytes);
  for (std::size_t offset = 0; const auto relocation = load<Elf64_Rela>(bytes, offset); offset += sizeof(Elf64_Rela)) {
    const auto type = ELF64_R_TYPE(relocation->r_info);
    if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
    const auto symbol = load<Elf64_Sym>(symbols, ELF64_R_SYM(relocation->r_info) * sizeof(Elf64_Sym));
    if (!symbol || slots.size() >= kMaxFunctions) continue;
    const std::string_view name = text_at(texts, symbol->st_name, kMaxFunctionName);
    if (!name.empty()) slots.emplace(relocation->r_offset, without_version(name));
  }
}

// The slot through which an entry jumps: [endbr64] [bnd] jmp *slot(%rip).
std::optional<std::uint64_t> slot_of(Bytes entry, std::uint64_t address) {
  constexpr std::uint32_t kEndbr64 = 0xfa1e0ff3;
  constexpr std::uint8_t kBnd = 0xf2;
  constexpr std::uint16_t kJump = 0x25ff;
  std::size_t at = load<std::uint32_t>(entry, 0) == kEndbr64 ? 4 : 0;
  if (load<std::uint8_t>(entry, at) == kBnd) ++at;
  if (load<std::uint16_t>(entry, at) != kJump) return std::nullopt;
  const auto displacement = load<std::int32_t>(entry, at + 2);
  if (!displacement) return std::nullopt;
  return address + at + 6 + static_cast<std::uint64_t>(std::int64_t{*displacement});
}

}  // namespace

std::vector<CodeRange> code_ranges(const ElfSections& sections) {
  std::vector<CodeRange> ranges;
  constexpr std::uint64_t kCode = SHF_ALLOC | SHF_EXECINSTR;
  for (const ElfSections::Section& section : sections.all()) {
    const GElf_Shdr& header = section.header;
    if ((header.sh_flags & kCode) != kCode || header.sh_addr + header.sh_size <= header.sh_addr) continue;
    ranges.push_back({header.sh_addr, header.sh_addr + header.sh_size});
  }
  std::sort(ranges.begin(), ranges.end(), [](const CodeRange& a, const CodeRange& b) { return a.begin < b.begin; });
  return ranges;
}

std::uint64_t FunctionSymbols::code_end(std::uint64_t address) const {
  const auto after = std::upper_bound(code_.begin(), code_.end(), address,
                                      [](std::uint64_t value, const CodeRange& range) { return value < range.begin; });
  if (after == code_.begin()) return 0;
  const CodeRange& range = *std::prev(after);
  return address < range.end ? range.end : 0;
}

void FunctionSymbols::add(FunctionSymbol symbol) {
  const std::uint64_t end = code_end(symbol.begin);
  if (end == 0 || symbol.name.empty()) return;
  symbol.size = std::min(symbol.size, end - symbol.begin);
  symbols_.push_back(symbol);
}

bool FunctionSymbols::add_tables(const ElfSections& sections, std::uint32_t type) {
  bool found = false;
  for (const ElfSections::Section& section : sections.all()) {
    const ElfSections::Section* const names = sections.at(section.header.sh_link);
    if (section.header.sh_type != type || names == nullptr) continue;
    const Bytes bytes = ElfSections::bytes(section, kMaxTableBytes);
    const Bytes texts = ElfSections::bytes(*names, kMaxTableBytes);
    found = found || !bytes.empty();
    for (std::size_t offset = 0; const auto symbol = load<Elf64_Sym>(bytes, offset); offset += sizeof(Elf64_Sym)) {
      const auto kind = ELF64_ST_TYPE(symbol->st_info);
      const bool is_function = kind == STT_FUNC || kind == STT_GNU_IFUNC;
      if ((!is_function && kind != STT_NOTYPE) || !is_in_file(*symbol)) continue;
      const std::string_view name = text_at(texts, symbol->st_name, kMaxFunctionName);
      name_bytes_ += name.size();
      if (symbols_.size() >= kMaxFunctions || name_bytes_ > kMaxFunctionNameBytes) return found;
      const auto binding = ELF64_ST_BIND(symbol->st_info);
      add({.begin = symbol->st_value,
           .size = symbol->st_size,
           .name = without_version(name),
           .binding = binding == STB_LOCAL ? Binding::local : Binding::exported,
           .weak = binding == STB_WEAK,
           .is_function = is_function,
           .is_plt = false});
    }
  }
  return found;
}

void FunctionSymbols::add_plt(const ElfSections& sections) {
  Slots slots;
  for (const char* const name : {".rela.plt", ".rela.dyn"}) {
    if (const auto* const relocations = sections.find(name)) add_slots(sections, *relocations, slots);
  }
  for (const char* const name : {".plt", ".plt.sec", ".plt.got"}) {
    const ElfSections::Section* const section = sections.find(name);
    if (section == nullptr) continue;
    // Linkers that leave the size of an entry open mean the usual one.
    const std::uint64_t entry = section->header.sh_entsize == 8 ? 8 : 16;
    const Bytes bytes = ElfSections::bytes(*section, kMaxPltBytes);
    for (std::size_t offset = 0; offset + entry <= bytes.size(); offset += entry) {
      const std::uint64_t address = section->header.sh_addr + offset;
      const auto slot = slot_of(bytes.subspan(offset, entry), address);
      const auto found = slot ? slots.find(*slot) : slots.end();
      if (found == slots.end() || symbols_.size() >= kMaxFunctions) continue;
      add({.begin = address,
           .size = entry,
           .name = found->second,
           .binding = Binding::exported,
           .weak = false,
           .is_function = true,
           .is_plt = true});
    }
  }
}

}  // namespace flametap::native
