// Writing bytes to a file descriptor, all of them.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace flametap::format {

[[nodiscard]] Error cannot_write(const std::string& path, int error_number);

// 0, or the errno of the write that failed. A pipe that nobody reads any more is an error, not a signal.
[[nodiscard]] int write_all(int file, std::string_view content);

// Some file systems tell of a full disk only when the file is closed.
[[nodiscard]] int close_checked(Fd file);

}  // namespace flametap::format
