// `flametap trace --tapset`: scripts for other tracers, made for the markers of one process or file.
#pragma once

#include <string>

#include "format/tapset.h"

namespace flametap::cli {

// `what` is a pid, or a path that is not a number. The exit code: 4 if there is no such process, 5 if it or the file
// has no markers.
[[nodiscard]] int print_tapset(const std::string& what, format::TapsetLanguage language);

}  // namespace flametap::cli
