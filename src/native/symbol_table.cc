#include "native/symbol_table.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "native/elf_sections.h"
#include "native/mini_debug.h"

namespace flametap::native {
namespace {

std::size_t leading_underscores(std::string_view name) {
  if (name.starts_with("_Z") || name.starts_with("_R")) return 0;
  return std::min(name.find_first_not_of('_'), name.size());
}

auto rank(const FunctionSymbol& symbol) {
  return std::tuple(!symbol.is_function, symbol.binding, leading_underscores(symbol.name), symbol.weak,
                    symbol.name.size(), symbol.name);
}

// By address, the enclosing before the enclosed, the best name first.
bool comes_before(const FunctionSymbol& a, const FunctionSymbol& b) {
  if (a.begin != b.begin) return a.begin < b.begin;
  if (a.size != b.size) return a.size > b.size;
  return rank(a) < rank(b);
}

// Gives those without a size the size that they can have, or drops them. `symbols` are sorted, and stay so: those
// without a size are the last ones at their address.
void size_the_unsized(FunctionSymbols& functions, bool all_are_known) {
  std::vector<FunctionSymbol>& symbols = functions.symbols();
  std::uint64_t sized_end = 0;
  std::uint64_t next = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint64_t> next_begins(symbols.size());
  for (std::size_t i = symbols.size(); i-- > 0;) {
    if (i + 1 < symbols.size() && symbols[i + 1].begin != symbols[i].begin) next = symbols[i + 1].begin;
    next_begins[i] = next;
  }
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    FunctionSymbol& symbol = symbols[i];
    if (symbol.size > 0) {
      sized_end = std::max(sized_end, symbol.begin + symbol.size);
    } else if (all_are_known && symbol.begin >= sized_end) {
      symbol.size = std::min(next_begins[i], functions.code_end(symbol.begin)) - symbol.begin;
    }
  }
  std::erase_if(symbols, [](const FunctionSymbol& symbol) { return symbol.size == 0; });
}

}  // namespace

SymbolTable SymbolTable::read(Elf* elf, Elf* debug) {
  const ElfSections sections(elf);
  FunctionSymbols functions(code_ranges(sections));
  const MiniDebug mini = MiniDebug::open(sections);
  bool all_are_known = functions.add_tables(sections, SHT_SYMTAB);
  for (Elf* const other : {debug, mini.elf()}) {
    if (other == nullptr) continue;
    all_are_known = functions.add_tables(ElfSections(other), SHT_SYMTAB) || all_are_known;
  }
  functions.add_tables(sections, SHT_DYNSYM);
  functions.add_plt(sections);

  std::vector<FunctionSymbol>& symbols = functions.symbols();
  std::sort(symbols.begin(), symbols.end(), comes_before);
  size_the_unsized(functions, all_are_known);
  return SymbolTable(symbols);
}

SymbolTable::SymbolTable(const std::vector<FunctionSymbol>& sorted) {
  std::vector<RangeTable::Range> ranges;
  ranges.reserve(sorted.size());
  const FunctionSymbol* last = nullptr;
  for (const FunctionSymbol& symbol : sorted) {
    const bool is_same_code = last != nullptr && last->begin == symbol.begin && last->size == symbol.size;
    if (is_same_code) continue;
    last = &symbol;
    ranges.push_back({symbol.begin, symbol.begin + symbol.size, static_cast<std::uint32_t>(names_.size())});
    names_.append(symbol.name).append(symbol.is_plt ? "@plt" : "").push_back('\0');
  }
  names_.shrink_to_fit();
  ranges_ = RangeTable(std::move(ranges));
}

std::optional<SymbolTable::Found> SymbolTable::find(target::LinkAddress address) const {
  const RangeTable::Range* const range = ranges_.find(to_number(address));
  if (range == nullptr) return std::nullopt;
  return Found{.name = names_.data() + range->value,
               .begin = target::LinkAddress{range->begin},
               .size = range->end - range->begin};
}

}  // namespace flametap::native
