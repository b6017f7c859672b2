// MarkedTarget: what a user names, by pid or by path, to learn about its markers.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cpython/version.h"
#include "target/process.h"
#include "tracer/markers.h"

namespace flametap::cli {

struct MarkedTarget {
  std::optional<pid_t> pid = {};                 // nothing: a file
  std::optional<cpython::Version> version = {};  // of the process
  std::string program = {};                      // that the process runs, as it sees it
  std::vector<tracer::MarkedFile> files = {};    // never empty
};

// `what` is a pid, or a path that is not a number. Fails with Failure::not_python if there are no markers.
[[nodiscard]] Result<MarkedTarget> find_marked_target(const std::string& what);

// The version of the Python in a process; nothing if that cannot be told.
[[nodiscard]] std::optional<cpython::Version> python_version(const target::Process& process);

}  // namespace flametap::cli
