// UnwindTable: the rows of one ELF's call frame information, parsed by libdw when an address is first asked for, and
// kept. What libdw does not know is kept too, so that it is asked once.
//
// Borrows the Elf, which must outlive it. A row lives as long as the table. Not safe for concurrent calls.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "native/unwind_row.h"
#include "target/elf_types.h"

namespace flametap::native {

class UnwindTable {
 public:
  // Far more than the code that any program comes by while it is watched. What is asked for beyond is not known.
  static constexpr std::size_t kMaxRanges = std::size_t{1} << 16;
  // No program has more; a forged size must not make us read for ever.
  static constexpr std::uint64_t kMaxSectionBytes = std::uint64_t{256} << 20;

  explicit UnwindTable(Elf* elf) : elf_(elf) {}
  UnwindTable(const UnwindTable&) = delete;
  UnwindTable& operator=(const UnwindTable&) = delete;

  // The row for an address, or null if nothing is known there. Allocates only for an address in no range seen before.
  [[nodiscard]] const UnwindRow* find(target::LinkAddress address);

  // How often libdw was asked.
  [[nodiscard]] std::size_t lookups() const { return lookups_; }
  [[nodiscard]] std::size_t ranges() const { return ranges_.size(); }

 private:
  struct CfiEnd {
    void operator()(Dwarf_CFI* cfi) const { dwarf_cfi_end(cfi); }
  };
  struct DwarfEnd {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
  };
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    const UnwindRow* row = nullptr;  // null: nothing is known
  };

  [[nodiscard]] Range look_up(std::uint64_t address);
  [[nodiscard]] Range look_up(Dwarf_CFI* cfi, std::uint64_t address);
  void open_eh_frame();
  void open_debug_frame();
  // In its place, cut to what is not covered yet.
  const UnwindRow* insert(std::size_t place, std::uint64_t address, Range range);

  Elf* elf_;
  bool eh_frame_opened_ = false;
  bool debug_frame_opened_ = false;
  std::unique_ptr<Dwarf_CFI, CfiEnd> eh_frame_;
  std::unique_ptr<Dwarf, DwarfEnd> dwarf_;
  Dwarf_CFI* debug_frame_ = nullptr;  // dwarf_'s
  std::size_t lookups_ = 0;
  std::vector<Range> ranges_;  // in the order of their addresses; they never overlap
  std::deque<UnwindRow> rows_;
};

}  // namespace flametap::native
