// What went wrong, for people, on standard error:
//
//   flametap: cannot record process 7: it runs as another user (web), and we are alice
//     try: run it as root: sudo flametap ...
#pragma once

#include <string>

#include "base/result.h"

namespace flametap::cli {

[[nodiscard]] std::string describe(const Error& error);

// Prints it; gives the exit code that it means.
int fail(const Error& error);

// One line that is no error.
void note(const std::string& line);

}  // namespace flametap::cli
