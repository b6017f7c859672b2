// The routes that record processes of this machine, on a server that was told to allow it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "server/recordings.h"
#include "server/router.h"

namespace flametap::server {

struct PythonProcess {
  pid_t pid = 0;
  std::string command = {};
  std::string python = {};
};

// The Python processes of this machine that we may record.
using ListProcesses = std::function<std::vector<PythonProcess>()>;

class RecordRoutes {
 public:
  // `recordings` is borrowed; null: it is not allowed.
  RecordRoutes(Recordings* recordings, ListProcesses list) : recordings_(recordings), list_(std::move(list)) {}

  void add_to(Router& router);

 private:
  [[nodiscard]] Response list(const Call& call);
  [[nodiscard]] Response record(const Call& call);

  Recordings* recordings_;
  ListProcesses list_;
};

}  // namespace flametap::server
