// Symbols: from an address of one ELF to names, files and lines for people.
//
// Keeps a descriptor of the file (or of its separate debug file) only if that has DWARF. Names are ready after load(),
// DWARF is read at the first question. An answer costs microseconds to milliseconds: keep it. Not safe for concurrent
// calls.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "native/debug_file.h"
#include "native/source_lines.h"
#include "native/symbol_table.h"
#include "target/elf_file.h"

namespace flametap::native {

struct NamedFrame {
  std::string name;             // for people; never empty
  std::string raw_name;         // as in the file: mangled, with suffixes such as .cold
  std::string file;             // empty: not known
  std::int32_t line = 0;        // 0: not known
  std::int32_t first_line = 0;  // of the function; 0: not known
  bool inlined = false;

  bool operator==(const NamedFrame&) const = default;
};

class Symbols {
 public:
  struct Options {
    DebugSearch search;
    bool lines = true;  // false: names only, DWARF is never read
  };

  // `path` is where the file stands as its process sees it. Damage of any kind only means fewer names.
  [[nodiscard]] static Symbols load(const target::ElfFile& file, const std::string& path, const Options& options);
  // From the bytes of an ELF that is no file, such as the vdso: names only.
  [[nodiscard]] static Symbols from_bytes(Bytes bytes);

  // With inlined functions: the innermost first, the function itself last. Without: one frame, the function itself,
  // with the line that it has reached in its own text. Empty if nothing is known of that address.
  [[nodiscard]] std::vector<NamedFrame> describe(target::LinkAddress address, bool with_inlines);

  // The function at an address by the symbol tables alone; no allocation, any thread.
  [[nodiscard]] std::optional<SymbolTable::Found> find(target::LinkAddress address) const {
    return table_.find(address);
  }
  [[nodiscard]] bool has_lines() const { return lines_ != nullptr; }

 private:
  struct LineSource {
    target::ElfFile file;  // before the lines, which are read from it
    SourceLines lines;
  };

  Symbols() = default;

  SymbolTable table_;
  std::unique_ptr<LineSource> lines_;  // null: there is no DWARF
};

}  // namespace flametap::native
