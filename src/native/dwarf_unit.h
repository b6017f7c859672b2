// The functions of one compilation unit of DWARF, and walking its tree, which may be hostile: in a DwarfImage.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "native/range_table.h"

namespace flametap::native {

// A DIE and those beside it, in the order of the file. Offsets only grow, so that no reference can make a loop.
class DieCursor {
 public:
  // At the first child; at the end if there is none.
  explicit DieCursor(Dwarf_Die parent);

  [[nodiscard]] bool at_end() const { return at_end_; }
  [[nodiscard]] Dwarf_Die& die() { return die_; }
  void next();
  // Goes on behind `offset`, which was visited below this DIE.
  void skip_to(Dwarf_Off offset) { last_ = offset > last_ ? offset : last_; }
  [[nodiscard]] Dwarf_Off last() const { return last_; }

 private:
  void check(int status);

  Dwarf_Die die_{};
  Dwarf_Off last_ = 0;
  bool at_end_ = false;
};

// How much may still be looked at, so that the largest question has an end.
struct DwarfBudget {
  std::size_t entries = 0;
  std::size_t ranges = 0;
};

// Adds the address ranges of a DIE, each with `value`.
void add_ranges(Dwarf_Die& die, std::uint32_t value, DwarfBudget& budget, std::vector<RangeTable::Range>& ranges);
[[nodiscard]] bool covers(Dwarf_Die& die, std::uint64_t address, DwarfBudget& budget);

// The functions of one unit.
struct UnitFunctions {
  RangeTable code;  // those that have code, each with the offset of its DIE
  // By the offset of a DIE: the name with its namespaces and classes, where there is no linker's name that has them.
  std::unordered_map<Dwarf_Off, std::string> qualified_names;
};

[[nodiscard]] UnitFunctions find_functions(Dwarf_Die unit, DwarfBudget& budget);
// The inlined calls at an address of a function, the outermost first.
[[nodiscard]] std::vector<Dwarf_Die> find_inlined(Dwarf_Die function, std::uint64_t address, DwarfBudget& budget);

// The linker's name of a function where it has one, else its own, qualified if need be; empty if it has none.
[[nodiscard]] std::string raw_name(Dwarf_Die& die, const UnitFunctions& functions);
// What an attribute says, here or where the DIE is an instance of something. Nothing if it is not there, or is longer
// than any name. The text lives as long as the DWARF, which must be a DwarfImage's: libdw does not look where it ends.
[[nodiscard]] std::string_view text(Dwarf_Die& die, unsigned attribute);
[[nodiscard]] std::optional<std::uint64_t> number(Dwarf_Die& die, unsigned attribute);
// 0 if it is not there, or is no line.
[[nodiscard]] std::int32_t line_number(Dwarf_Die& die, unsigned attribute);

}  // namespace flametap::native
