// SymbolTable: the functions of one ELF by their addresses.
//
// Made once from .symtab and .dynsym, the compressed table in .gnu_debugdata, the jump tables (as "name@plt") and the
// table of a separate debug file. Keeps nothing of the files. Looking up allocates nothing. Any thread may look up.
//
// Which name an address has, so that it is always the same one:
// - A symbol with a size ends there: what lies behind it has no name rather than its neighbour's.
// - A symbol without a size (assembly) reaches to the next symbol or the end of its section; but not inside one that
// has
//   a size, and not where only exported symbols are known, as the next one may then be far away.
// - Of two that overlap, the one that begins later; of two that begin together, the smaller.
// - Of several names for the very same code: functions before labels, exported before local ones, those with fewer
//   underscores in front (read before __read; a mangled name has none), strong before weak, short before long, and then
//   by the alphabet. Versions (@GLIBC_2.2.5) are no part of a name.
#pragma once

#include <libelf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "native/function_symbols.h"
#include "native/range_table.h"
#include "target/elf_types.h"

namespace flametap::native {

class SymbolTable {
 public:
  struct Found {
    std::string_view name;  // as in the file: mangled; lives as long as the table
    target::LinkAddress begin{};
    std::uint64_t size = 0;

    bool operator==(const Found&) const = default;
  };

  SymbolTable() = default;
  // `debug` is the separate debug file, or null. Damaged parts are as if they were not there.
  [[nodiscard]] static SymbolTable read(Elf* elf, Elf* debug);

  [[nodiscard]] std::optional<Found> find(target::LinkAddress address) const;
  [[nodiscard]] std::size_t size() const { return ranges_.size(); }

 private:
  explicit SymbolTable(const std::vector<FunctionSymbol>& sorted);

  RangeTable ranges_;  // each with the offset of its name
  std::string names_;  // each ends in a zero
};

}  // namespace flametap::native
