#include "native/dwarf_unit.h"

#include <dwarf.h>

#include <cstring>
#include <limits>

#include "native/function_symbols.h"

namespace flametap::native {
namespace {

// Deeper trees than any compiler writes.
constexpr std::size_t kMaxDepth = 256;
constexpr int kMaxReferences = 8;

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

std::string_view linkage_name(Dwarf_Die& die) {
  const std::string_view name = text(die, DW_AT_linkage_name);
  return !name.empty() ? name : text(die, DW_AT_MIPS_linkage_name);
}

// What a DIE adds in front of the names inside of it. A function adds nothing: it is a world of its own.
std::string inner_scope(Dwarf_Die& die, const std::string& outer) {
  const int tag = dwarf_tag(&die);
  if (tag == DW_TAG_subprogram || may_hold_inlined(tag)) return {};
  const std::string_view name = text(die, DW_AT_name);
  if (!name.empty()) return std::string(outer).append(name).append("::");
  return outer + (tag == DW_TAG_namespace ? "(anonymous namespace)::" : "(anonymous)::");
}

// The DIE that declares what this one is an instance of, which stands inside of its namespace.
Dwarf_Die declaration_of(Dwarf_Die die) {
  for (int i = 0; i < kMaxReferences; ++i) {
    Dwarf_Attribute reference{};
    Dwarf_Die origin{};
    if (dwarf_attr(&die, DW_AT_abstract_origin, &reference) == nullptr &&
        dwarf_attr(&die, DW_AT_specification, &reference) == nullptr) {
      break;
    }
    if (dwarf_formref_die(&reference, &origin) == nullptr) break;
    die = origin;
  }
  return die;
}

void add_qualified_name(Dwarf_Die& function, const std::string& scope, UnitFunctions& functions) {
  if (scope.empty() || !linkage_name(function).empty()) return;
  const std::string_view name = text(function, DW_AT_name);
  if (!name.empty() && scope.size() + name.size() <= kMaxFunctionName) {
    functions.qualified_names.emplace(dwarf_dieoffset(&function), std::string(scope).append(name));
  }
}

// One level of the tree.
struct Level {
  DieCursor cursor;
  std::string scope;
};

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

UnitFunctions find_functions(Dwarf_Die unit, DwarfBudget& budget) {
  UnitFunctions functions;
  std::vector<RangeTable::Range> ranges;
  std::vector<Level> path{{DieCursor(unit), ""}};
  while (!path.empty() && budget.entries > 0) {
    DieCursor& cursor = path.back().cursor;
    if (cursor.at_end()) {
      const Dwarf_Off visited = cursor.last();
      path.pop_back();
      if (path.empty()) break;
      path.back().cursor.skip_to(visited);
      path.back().cursor.next();
      continue;
    }
    --budget.entries;
    Dwarf_Die& die = cursor.die();
    const int tag = dwarf_tag(&die);
    const Dwarf_Off offset = dwarf_dieoffset(&die);
    if (tag == DW_TAG_subprogram && offset <= std::numeric_limits<std::uint32_t>::max()) {
      add_ranges(die, static_cast<std::uint32_t>(offset), budget, ranges);
      add_qualified_name(die, path.back().scope, functions);
    }
    if (may_hold_functions(tag) && path.size() < kMaxDepth && dwarf_haschildren(&die) > 0) {
      path.push_back({DieCursor(die), inner_scope(die, path.back().scope)});
    } else {
      cursor.next();
    }
  }
  functions.code = RangeTable(std::move(ranges));
  return functions;
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

std::string raw_name(Dwarf_Die& die, const UnitFunctions& functions) {
  const std::string_view name = linkage_name(die);
  if (!name.empty()) return std::string(name);
  Dwarf_Die declaration = declaration_of(die);
  const auto qualified = functions.qualified_names.find(dwarf_dieoffset(&declaration));
  if (qualified != functions.qualified_names.end()) return qualified->second;
  return std::string(text(die, DW_AT_name));
}

std::string_view text(Dwarf_Die& die, unsigned attribute) {
  Dwarf_Attribute found{};
  const char* const value = dwarf_formstring(dwarf_attr_integrate(&die, attribute, &found));
  if (value == nullptr) return {};
  const std::size_t length = ::strnlen(value, kMaxFunctionName + 1);
  return length <= kMaxFunctionName ? std::string_view(value, length) : std::string_view();
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
