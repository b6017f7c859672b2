#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace flametap::cli {
namespace {

Columns columns_of(int file) {
  winsize size{};
  if (::ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

}  // namespace

bool may_colour() { return ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }

Columns output_columns() { return columns_of(STDOUT_FILENO); }

Columns error_columns() { return columns_of(STDERR_FILENO); }

}  // namespace flametap::cli
