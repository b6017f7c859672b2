// Output: where a result goes and in which format, decided and checked before the work begins.
#pragma once

#include <sys/types.h>

#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/format.h"

namespace flametap::cli {

struct Output {
  std::string path;  // empty: a name of our own in the current folder, see default_name
  format::Format format = format::kDefaultFormat;
};

// Decides from the words of -o and -f, and fails if nothing could be written there.
[[nodiscard]] Result<Output> plan_output(const std::string& path, const std::string& format);

// Whether a file can be written there, as far as one can tell without writing it. An empty path means the current
// folder.
[[nodiscard]] Result<void> check_writable(const std::string& path);

// Writes it; gives the path, which is a new one where the name is ours.
[[nodiscard]] Result<std::string> write(const Output& output, const std::string& default_path,
                                        std::string_view content);

// `shop-1234-20240131-235959.html`: what runs, its pid, and the time.
[[nodiscard]] std::string default_name(const std::vector<std::string>& command, pid_t pid, const std::tm& time,
                                       std::string_view extension);
// The same with the local time of now.
[[nodiscard]] std::string default_name(const std::vector<std::string>& command, pid_t pid, std::string_view extension);

}  // namespace flametap::cli
