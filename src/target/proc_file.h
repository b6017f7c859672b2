// The small text files of /proc, whose size is known only after reading them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace flametap::target {

// "/proc/PID/name".
[[nodiscard]] std::string proc_path(pid_t pid, std::string_view name);

// The whole file. Longer than `limit` is an error, never a shortened text.
[[nodiscard]] Result<std::string> read_proc_file(const std::string& path, std::size_t limit);

// Where a symbolic link such as /proc/PID/exe leads to.
[[nodiscard]] Result<std::string> read_link(const std::string& path);

// The value of a "Key:\tvalue" line, as in /proc/PID/status.
[[nodiscard]] std::optional<std::string_view> find_field(std::string_view status, std::string_view key);

}  // namespace flametap::target
