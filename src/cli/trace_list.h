// `flametap trace --list`: the markers of a process, of a file, or of every Python that runs.
#pragma once

#include <string>

namespace flametap::cli {

// `what` is a pid, or a path that is not a number, or empty: everything on this machine. The exit code: 4 if there is
// no such process, 5 if it or the file has no markers.
[[nodiscard]] int list_markers(const std::string& what, bool json);

}  // namespace flametap::cli
