// What the terminal on standard output can show.
#pragma once

namespace flametap::cli {

// False where there is no terminal, or where NO_COLOR, a convention of many programs, is set.
[[nodiscard]] bool may_colour();

}  // namespace flametap::cli
