// The small text files of /proc, whose size is known only after reading them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace flametap::target {

// "/proc/PID/name".
[[nodiscard]] std::string proc_path(pid_t pid, std::string_view name);

// No text that we read is longer: a process with the kernel's default limit of 65,530 mappings has 7 MB of maps.
inline constexpr std::size_t kMaxProcText = std::size_t{256} << 20;

// The whole file, of which more than `limit` bytes are an error, never a shortened text.
[[nodiscard]] Result<std::string> read_proc_file(const std::string& path, std::size_t limit = kMaxProcText);
// The same for an open file; `path` is for messages.
[[nodiscard]] Result<std::string> read_all(const Fd& file, const std::string& path, std::size_t limit = kMaxProcText);

// The value of a "Key:\tvalue" line, as in /proc/PID/status.
[[nodiscard]] std::optional<std::string_view> find_field(std::string_view status, std::string_view key);

}  // namespace flametap::target
