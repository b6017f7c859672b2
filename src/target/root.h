// Files as a process sees them: below its own root, which may be a container's.
#pragma once

#include <fcntl.h>

#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "target/process.h"

namespace flametap::target {

// For opening what somebody else may have put there. O_NONBLOCK: the name may lead to a pipe by now.
inline constexpr int kReadForeign = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

// The root itself, for as long as one likes: also when the process is gone.
[[nodiscard]] Result<Fd> root_of(const Process& process);

// Opens for reading. Symbolic links are followed as the process would follow them, never out of its root into ours. An
// empty Fd, and errno, if that fails.
[[nodiscard]] Fd open_in_root(const Process& process, const std::string& path);
[[nodiscard]] Fd open_in_root(const Fd& root, const std::string& path);

}  // namespace flametap::target
