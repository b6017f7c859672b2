// The instructions from which libdw makes the rows of one function. It trusts them: it makes room for every register
// that they name, two thousand million if need be, and keeps every state that they remember. So they are looked at
// first.
#pragma once

#include "base/bytes.h"

namespace flametap::native {

// Whether running them costs no more than they are long, and they are all of the kinds that compilers write.
[[nodiscard]] bool is_harmless_cfi_program(Bytes instructions);

}  // namespace flametap::native
