// Reading a profile from a file, whatever format it is in: told by its content, not by its name.
//
// A damaged file gives what can be read of it, and a warning for each kind of loss. Only a file of which nothing can be
// used is an error.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace flametap::format {

struct ReadProfile {
  profile::Profile profile;
  std::vector<std::string> warnings;
};

struct ReadOptions {
  // False: when each sample was taken does not matter. Those of one thread, stack and state may become one, so that a
  // long recording takes little memory.
  bool keep_time = true;
  // At most so many stacks and samples, and rows of any table of an .ftap file. What is beyond is left out, with a
  // warning; an .ftap file with more samples, as they are kept, is not read. Without this a large file may take many
  // times its size of memory.
  std::uint64_t max_rows = std::numeric_limits<std::uint64_t>::max();
};

// `-` is standard input.
[[nodiscard]] Result<ReadProfile> read_any(const std::string& path, const ReadOptions& options = {});

[[nodiscard]] Result<ReadProfile> read_any_text(std::string_view content, const ReadOptions& options = {});

}  // namespace flametap::format
