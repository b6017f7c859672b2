#include "native/dwarf_unit.h"

#include <dwarf.h>

#include <limits>

#include "native/function_symbols.h"

namespace flametap::native {
namespace {

// Deeper trees than any compiler writes.
constexpr std::size_t kMaxDepth = 256;

bool may_hold_functions(int tag) {
  switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
      return true;
    default:
      return false;
  }
}

bool may_hold_inlined(int tag) {
  return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
         tag == DW_TAG_catch_block;
}

// Calls `visit(begin, end)` for each range of a DIE until it says true. Says whether it did.
template <typename Visit>
bool for_each_range(Dwarf_Die& die, DwarfBudget& budget, Visit visit) {
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  std::ptrdiff_t offset = 0;
  while (budget.ranges > 0 && (offset = dwarf_ranges(&die, offset, &base, &begin, &end)) > 0) {
    --budget.ranges;
    if (visit(begin, end)) return true;
  }
  return false;
}

}  // namespace

DieCursor::DieCursor(Dwarf_Die parent) : last_(dwarf_dieoffset(&parent)) { check(dwarf_child(&parent, &die_)); }

void DieCursor::next() { check(dwarf_siblingof(&die_, &die_)); }

void DieCursor::check(int status) {
  at_end_ = status != 0 || dwarf_dieoffset(&die_) <= last_;
  if (!at_end_) last_ = dwarf_dieoffset(&die_);
}

void add_ranges(Dwarf_Die& die, std::uint32_t value, DwarfBudget& budget, std::vector<RangeTable::Range>& ranges) {
  for_each_range(die, budget, [&](Dwarf_Addr begin, Dwarf_Addr end) {
    // A function that the linker has dropped stays in the DWARF, at address 0.
    if (begin != 0) ranges.push_back({begin, end, value});
    return false;
  });
}

bool covers(Dwarf_Die& die, std::uint64_t address, DwarfBudget& budget) {
  return for_each_range(die, budget,
                        [&](Dwarf_Addr begin, Dwarf_Addr end) { return address >= begin && address < end; });
}

RangeTable find_functions(Dwarf_Die unit, DwarfBudget& budget) {
  std::vector<RangeTable::Range> ranges;
  std::vector<DieCursor> path{DieCursor(unit)};
  while (!path.empty() && budget.entries > 0) {
    DieCursor& cursor = path.back();
    if (cursor.at_end()) {
      const Dwarf_Off visited = cursor.last();
      path.pop_back();
      if (path.empty()) break;
      path.back().skip_to(visited);
      path.back().next();
      continue;
    }
    --budget.entries;
    Dwarf_Die& die = cursor.die();
    const int tag = dwarf_tag(&die);
    const Dwarf_Off offset = dwarf_dieoffset(&die);
    if (tag == DW_TAG_subprogram && offset <= std::numeric_limits<std::uint32_t>::max()) {
      add_ranges(die, static_cast<std::uint32_t>(offset), budget, ranges);
    }
    if (may_hold_functions(tag) && path.size() < kMaxDepth && dwarf_haschildren(&die) > 0) {
      path.emplace_back(DieCursor(die));
    } else {
      cursor.next();
    }
  }
  return RangeTable(std::move(ranges));
}

std::vector<Dwarf_Die> find_inlined(Dwarf_Die function, std::uint64_t address, DwarfBudget& budget) {
  std::vector<Dwarf_Die> inlined;
  DieCursor cursor(function);
  for (std::size_t depth = 0; !cursor.at_end() && depth < kMaxDepth && budget.entries > 0;) {
    --budget.entries;
    Dwarf_Die& die = cursor.die();
    const int tag = dwarf_tag(&die);
    if (!may_hold_inlined(tag) || !covers(die, address, budget)) {
      cursor.next();
      continue;
    }
    if (tag == DW_TAG_inlined_subroutine) inlined.push_back(die);
    ++depth;
    cursor = DieCursor(die);
  }
  return inlined;
}

std::string raw_name(Dwarf_Die& die) {
  for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
    Dwarf_Attribute found{};
    if (dwarf_attr_integrate(&die, attribute, &found) == nullptr) continue;
    const char* const text = dwarf_formstring(&found);
    if (text == nullptr) continue;
    const std::string_view name(text);
    if (!name.empty() && name.size() <= kMaxFunctionName) return std::string(name);
  }
  return {};
}

std::optional<std::uint64_t> number(Dwarf_Die& die, unsigned attribute) {
  Dwarf_Attribute found{};
  Dwarf_Word value = 0;
  if (dwarf_attr_integrate(&die, attribute, &found) == nullptr || dwarf_formudata(&found, &value) != 0) {
    return std::nullopt;
  }
  return value;
}

std::int32_t line_number(Dwarf_Die& die, unsigned attribute) {
  const auto value = number(die, attribute).value_or(0);
  return value <= std::numeric_limits<std::int32_t>::max() ? static_cast<std::int32_t>(value) : 0;
}

}  // namespace flametap::native
