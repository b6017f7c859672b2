// Which C functions evaluate Python code, and which only carry a call from one function to the next: CPython's way of
// calling, and how programs and threads begin. The time of the latter is that of whoever they carry a call to or from.
#pragma once

#include <string_view>

#include "cpython/layout.h"
#include "stack/merge.h"

namespace flametap::cpython {

// `symbol` as it stands in the symbol table, with any ending of the compiler's (.cold, .part.0); empty: it has none.
[[nodiscard]] stack::Role role_of(std::string_view symbol, const Layout& layout);

// Programs and threads begin with these, whoever wrote them.
[[nodiscard]] bool begins_a_thread(std::string_view symbol);

}  // namespace flametap::cpython
