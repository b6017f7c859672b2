// What a recording is called after: the script or the module that a command line of Python runs, else the program.
#pragma once

#include <string>
#include <vector>

namespace flametap::format {

// A short part of a file name, safe whatever the process calls itself.
[[nodiscard]] std::string program_name(const std::vector<std::string>& command);

}  // namespace flametap::format
