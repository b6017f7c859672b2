// Symbols: from an address of one ELF to names, files and lines for people.
//
// Names are ready after load(). If the file, or its separate debug file, has DWARF, that is read at the first question,
// and a descriptor of it is kept until then. An answer costs microseconds to milliseconds: keep it. Not safe for
// concurrent calls.
#pragma once

#include <cstdint>
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
  [[nodiscard]] bool has_lines() const { return lines_.has_value(); }

 private:
  Symbols() = default;

  SymbolTable table_;
  std::optional<SourceLines> lines_;  // if there is any DWARF
};

}  // namespace flametap::native
