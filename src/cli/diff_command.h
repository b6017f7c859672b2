// `flametap diff`: which functions take more or less of the time in one recording than in another.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "profile/profile.h"

namespace flametap::cli {

struct DiffRequest {
  std::string before;
  std::string after;
  std::string output;  // -o and -f as they were given; neither: a table for people
  std::string format;
  std::optional<profile::Mode> mode = {};
  std::size_t limit = 20;
};

[[nodiscard]] int diff(const DiffRequest& request);

}  // namespace flametap::cli
