// ElfImage: a program or shared library as it lies in a target's memory, for when its file is gone or replaced.
//
// Only what is loaded can be asked for: program headers, build id, dynamic symbols; no sections, no local symbols. By
// hand, because libelf wants a whole file: what it needs first, the section headers, is never loaded. Everything read
// is the target's to forge: counts, chains and names are bounded. Borrows the Memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "target/elf_types.h"
#include "target/memory.h"

namespace flametap::target {

class ElfImage {
 public:
  // `header` is where the start of the file is mapped. Costs one read.
  [[nodiscard]] static Result<ElfImage> open(Memory& memory, Address header);

  [[nodiscard]] Bias bias() const { return bias_; }
  [[nodiscard]] const std::vector<LoadSegment>& segments() const { return segments_; }
  // How many bytes it takes up in memory from its header on, gaps included.
  [[nodiscard]] std::uint64_t span() const { return span_; }
  [[nodiscard]] BuildId read_build_id() const;
  // Dynamic symbols only.
  [[nodiscard]] Symbols find_symbols(const std::vector<std::string_view>& names) const;

 private:
  // Where the tables of the dynamic symbols are.
  struct Dynamic {
    Address symbols = kNull;
    Address strings = kNull;
    std::uint64_t strings_size = 0;
    Address gnu_hash = kNull;
    Address hash = kNull;
  };

  ElfImage(Memory& memory, Address header) : memory_(&memory), header_(header) {}

  void take(const Elf64_Phdr& program);
  void settle();
  [[nodiscard]] Dynamic read_dynamic() const;
  [[nodiscard]] Address place_dynamic(std::uint64_t value) const;
  [[nodiscard]] std::optional<Symbol> find_by_gnu_hash(const Dynamic& dynamic, std::string_view name) const;
  [[nodiscard]] std::optional<Symbol> find_by_hash(const Dynamic& dynamic, std::string_view name) const;
  [[nodiscard]] std::optional<Symbol> symbol_if_named(const Dynamic& dynamic, std::uint32_t index,
                                                      std::string_view name) const;

  struct Part {
    LinkAddress address{};
    std::uint64_t size = 0;
  };

  Memory* memory_;
  Address header_;
  Bias bias_{};
  std::uint64_t span_ = 0;
  std::vector<LoadSegment> segments_;
  std::vector<Part> notes_;
  Part dynamic_;
};

}  // namespace flametap::target
