#include "cli/terminal.h"

#include <unistd.h>

#include <cstdlib>

namespace flametap::cli {

bool may_colour() { return ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }

}  // namespace flametap::cli
