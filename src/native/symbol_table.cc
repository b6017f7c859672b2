#include "native/symbol_table.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "native/elf_sections.h"
#include "native/mini_debug.h"

namespace flametap::native {
namespace {

// How many symbols may overlap at one address before we give up. Real ones seldom do at all.
constexpr int kMaxNesting = 64;

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
  const auto is_same_code = [](const FunctionSymbol& a, const FunctionSymbol& b) {
    return a.begin == b.begin && a.size == b.size;
  };
  symbols.erase(std::unique(symbols.begin(), symbols.end(), is_same_code), symbols.end());
  return SymbolTable(symbols);
}

SymbolTable::SymbolTable(const std::vector<FunctionSymbol>& sorted) {
  entries_.reserve(sorted.size());
  for (const FunctionSymbol& symbol : sorted) {
    Entry entry{.begin = symbol.begin,
                .size = static_cast<std::uint32_t>(std::min<std::uint64_t>(symbol.size, UINT32_MAX)),
                .name = static_cast<std::uint32_t>(names_.size()),
                .name_length = 0,
                .enclosing = kNone};
    names_.append(symbol.name);
    if (symbol.is_plt) names_.append("@plt");
    entry.name_length = static_cast<std::uint32_t>(names_.size() - entry.name);
    entries_.push_back(entry);
  }
  names_.shrink_to_fit();
  link_enclosing();
}

void SymbolTable::link_enclosing() {
  std::uint32_t top = kNone;  // of the chain of those that may still reach further
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    while (top != kNone && entries_[top].begin + entries_[top].size <= entries_[i].begin) top = entries_[top].enclosing;
    entries_[i].enclosing = top;
    top = i;
  }
}

std::optional<SymbolTable::Found> SymbolTable::find(target::LinkAddress address) const {
  const std::uint64_t wanted = to_number(address);
  const auto after = std::upper_bound(entries_.begin(), entries_.end(), wanted,
                                      [](std::uint64_t value, const Entry& entry) { return value < entry.begin; });
  if (after == entries_.begin()) return std::nullopt;
  auto at = static_cast<std::uint32_t>(after - entries_.begin() - 1);
  for (int i = 0; i < kMaxNesting && at != kNone; ++i, at = entries_[at].enclosing) {
    const Entry& entry = entries_[at];
    if (wanted - entry.begin >= entry.size) continue;
    return Found{.name = std::string_view(names_).substr(entry.name, entry.name_length),
                 .begin = target::LinkAddress{entry.begin},
                 .size = entry.size};
  }
  return std::nullopt;
}

}  // namespace flametap::native
