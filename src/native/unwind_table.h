// UnwindTable: the rows of one ELF's call frame information, made when an address is first asked for, and kept. What is
// not known is kept too, so that it is looked for once.
//
// Borrows the Elf, which must outlive it. A row lives as long as the table. Not safe for concurrent calls.
#pragma once

#include <libelf.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "native/cfi_section.h"
#include "native/unwind_row.h"
#include "target/elf_types.h"

namespace flametap::native {

class UnwindTable {
 public:
  // Far more than the code that any program comes by while it is watched. What is asked for beyond is not known.
  static constexpr std::size_t kMaxRanges = std::size_t{1} << 16;

  explicit UnwindTable(Elf* elf) : elf_(elf) {}
  UnwindTable(const UnwindTable&) = delete;
  UnwindTable& operator=(const UnwindTable&) = delete;

  // The row for an address, or null if nothing is known there. Allocates only for an address in no range seen before;
  // the very first one costs a pass over all functions.
  [[nodiscard]] const UnwindRow* find(target::LinkAddress address);

  // How often a row was not at hand.
  [[nodiscard]] std::size_t lookups() const { return lookups_; }
  [[nodiscard]] std::size_t ranges() const { return ranges_.size(); }

 private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    const UnwindRow* row = nullptr;  // null: nothing is known
  };
  // What the information says about [begin, end).
  struct Answer {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::optional<UnwindRow> row{};
  };

  [[nodiscard]] Answer look_up(std::uint64_t address);
  [[nodiscard]] static Answer look_up(const CfiSection& section, std::uint64_t address);
  // `place` is where its range belongs.
  const UnwindRow* keep(std::size_t place, Answer answer);

  Elf* elf_;
  std::optional<CfiSection> eh_frame_;  // once asked for
  std::optional<CfiSection> debug_frame_;
  std::size_t lookups_ = 0;
  std::vector<Range> ranges_;  // in the order of their addresses; they never overlap
  std::deque<UnwindRow> rows_;
};

}  // namespace flametap::native
