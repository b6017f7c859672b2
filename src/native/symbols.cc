#include "native/symbols.h"

#include <utility>

#include "native/demangle.h"
#include "native/elf_sections.h"

namespace flametap::native {
namespace {

constexpr std::size_t kMaxImageBytes = 16u << 20;

NamedFrame to_named(SourceFrame frame) {
  return {.name = demangle(frame.raw_name),
          .raw_name = std::move(frame.raw_name),
          .file = std::move(frame.file),
          .line = frame.line,
          .first_line = frame.first_line,
          .inlined = frame.inlined};
}

}  // namespace

Symbols Symbols::load(const target::ElfFile& file, const std::string& path, const Options& options) {
  Symbols result;
  const bool has_lines = SourceLines::has_any(file.handle());
  const bool is_stripped = ElfSections(file.handle()).find(".symtab") == nullptr;
  std::optional<target::ElfFile> debug;
  if (is_stripped || (options.lines && !has_lines)) debug = find_debug_file(file, path, options.search);
  result.table_ = SymbolTable::read(file.handle(), debug ? debug->handle() : nullptr);
  if (!options.lines) return result;

  std::optional<target::ElfFile> with_lines;
  if (has_lines) {
    if (Result<target::ElfFile> own = file.duplicate()) with_lines = std::move(*own);
  } else if (debug && SourceLines::has_any(debug->handle())) {
    with_lines = std::move(debug);
  }
  if (!with_lines) return result;
  std::optional<OpenElf> shared = find_shared_dwarf(with_lines->handle(), options.search);
  // Without its other half there would be lines without names, and calls left out.
  if (!shared && needs_shared_dwarf(with_lines->handle())) return result;
  result.lines_.emplace(std::move(*with_lines), std::move(shared));
  return result;
}

Symbols Symbols::from_bytes(Bytes bytes) {
  Symbols result;
  if (bytes.size() > kMaxImageBytes || !target::parse_elf_header(bytes)) return result;
  std::vector<std::byte> copy(bytes.begin(), bytes.end());
  elf_version(EV_CURRENT);
  const ElfHandle elf(elf_memory(reinterpret_cast<char*>(copy.data()), copy.size()));
  if (elf) result.table_ = SymbolTable::read(elf.get(), nullptr);
  return result;
}

std::vector<NamedFrame> Symbols::describe(target::LinkAddress address, bool with_inlines) {
  std::vector<SourceFrame> source;
  if (lines_) source = lines_->find(address);
  const std::optional<SymbolTable::Found> symbol = table_.find(address);
  if (source.empty() || (source.back().raw_name.empty() && source.size() == 1)) {
    if (!symbol) return {};
    if (source.empty()) source.emplace_back();
  }
  // The tables name the very code; DWARF names what it was made from.
  if (symbol) source.back().raw_name = symbol->name;

  std::vector<NamedFrame> frames;
  const std::size_t first = with_inlines ? 0 : source.size() - 1;
  for (std::size_t i = first; i < source.size(); ++i) {
    if (!source[i].raw_name.empty()) frames.push_back(to_named(std::move(source[i])));
  }
  return frames;
}

}  // namespace flametap::native
