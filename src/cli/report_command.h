// `flametap report`: shows what a recording says, or converts it. Several recordings are merged into one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace flametap::cli {

struct ReportRequest {
  std::vector<std::string> files;
  std::string output;  // -o and -f as they were given; neither: a table for people
  std::string format;
  std::optional<profile::Mode> mode = {};
  std::string thread;  // a regular expression, as is the next
  std::string process;
  bool by_thread = false;
  bool lines = true;
  std::size_t limit = 20;
};

[[nodiscard]] int report(const ReportRequest& request);

}  // namespace flametap::cli
