// MarkerReport: which markers there are and what can be made of them, as values, and how that is written. Pure.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/text_fit.h"
#include "cpython/version.h"
#include "tracer/markers.h"

namespace flametap::cli {

// A file with markers, or of a Python that has none.
struct ListedFile {
  tracer::MarkedFile file;
  std::optional<cpython::Version> version = {};  // of a process that runs it
  std::vector<pid_t> pids = {};
};

struct MarkerReport {
  std::vector<ListedFile> files = {};
  std::size_t unreadable = 0;  // processes that we may not look into
};

// For people: no wider than the terminal, as far as words let it.
[[nodiscard]] std::string to_text(const MarkerReport& report, bool colour, Columns columns = {});
[[nodiscard]] std::string to_json(const MarkerReport& report);

}  // namespace flametap::cli
