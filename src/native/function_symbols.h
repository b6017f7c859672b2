// The functions that the symbol tables of one ELF name, as they stand there: unsorted, with duplicates.
#pragma once

#include <libelf.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "native/elf_sections.h"

namespace flametap::native {

// More, or longer names, have not been seen; what comes after that is not read.
inline constexpr std::size_t kMaxFunctions = 8u << 20;
inline constexpr std::size_t kMaxFunctionName = 8192;
inline constexpr std::size_t kMaxFunctionNameBytes = 1u << 30;

// Of several names for one piece of code the first of these wins.
enum class Binding : std::uint8_t { exported, local };

struct FunctionSymbol {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;  // 0: the table does not say
  std::string_view name;   // in the memory of the Elf it was read from; without a version
  Binding binding = Binding::local;
  bool weak = false;
  bool is_function = false;  // else a label, as in assembly
  bool is_plt = false;       // an entry of the jump table for the function of that name
};

// The parts of a file in which functions can be: its executable sections, in the order of their addresses.
struct CodeRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

class FunctionSymbols {
 public:
  // `code` bounds what is a function: symbols outside are left out, and those that reach out are cut.
  explicit FunctionSymbols(std::vector<CodeRange> code) : code_(std::move(code)) {}

  // All tables of this type: SHT_SYMTAB or SHT_DYNSYM. Says whether there was one.
  bool add_tables(const ElfSections& sections, std::uint32_t type);
  // The entries of .plt, .plt.sec and .plt.got, by the slots that they jump through.
  void add_plt(const ElfSections& sections);

  [[nodiscard]] std::vector<FunctionSymbol>& symbols() { return symbols_; }
  // Where the code around an address ends; 0 if there is none.
  [[nodiscard]] std::uint64_t code_end(std::uint64_t address) const;

 private:
  void add(FunctionSymbol symbol);

  std::vector<CodeRange> code_;
  std::vector<FunctionSymbol> symbols_;
  std::size_t name_bytes_ = 0;
};

[[nodiscard]] std::vector<CodeRange> code_ranges(const ElfSections& sections);

}  // namespace flametap::native
