// The words of `flametap serve`, and what they ask for.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/serve_command.h"

namespace CLI {
class App;
}

namespace flametap::cli {

// As they were typed.
struct ServeWords {
  std::string listen = "127.0.0.1:8040";
  std::string keep_days;
  std::string keep_bytes;
  std::string max_upload;
  ServeRequest request;
};

void add_serve_options(CLI::App& command, ServeWords& words);

[[nodiscard]] Result<ServeRequest> serve_request(const ServeWords& words);

}  // namespace flametap::cli
