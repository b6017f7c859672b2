// The row that holds at one address of a function, made by libdw.
//
// libdw is given a file made up for the purpose, in memory, with nothing in it but this one function: so it meets only
// what was looked at before, and keeps nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "native/cfi_section.h"
#include "native/unwind_row.h"

namespace flametap::native {

struct MadeRow {
  // It holds from the address asked for up to here. Where it begins is not known: behind DW_CFA_restore_state libdw
  // says where the state was remembered, before all the rows in between.
  std::uint64_t end = 0;
  UnwindRow row;
};

// Nothing if the function's information is damaged, could do harm, or is more than we understand.
[[nodiscard]] std::optional<MadeRow> make_row(const CfiSection::Function& function, std::uint64_t address);

}  // namespace flametap::native
