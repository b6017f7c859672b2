// What the terminals on standard output and standard error can show.
#pragma once

#include "cli/text_fit.h"

namespace flametap::cli {

// False where there is no terminal, or where NO_COLOR, a convention of many programs, is set.
[[nodiscard]] bool may_colour();

// How wide the terminal is; nothing where there is none.
[[nodiscard]] Columns output_columns();
[[nodiscard]] Columns error_columns();

}  // namespace flametap::cli
