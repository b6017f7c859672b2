// Why we may not read or stop a process, and the command that mends it.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/result.h"
#include "target/process.h"
#include "target/surroundings.h"

namespace flametap::target {

// What the kernel looks at. A missing value could not be found out.
struct RightsFacts {
  pid_t pid = 0;
  Surroundings us = {};
  uid_t their_uid = 0;
  bool they_have_more_capabilities = false;  // than we have
  bool dumpable = true;                      // false after a set-uid exec, or when it asked for that itself
  std::optional<bool> same_user_namespace = std::nullopt;
};

[[nodiscard]] RightsFacts gather_rights(const Process& process);
[[nodiscard]] Error explain_denied(const RightsFacts& facts);

// For a process that just denied us (EPERM, EACCES).
[[nodiscard]] inline Error explain_denied(const Process& process) { return explain_denied(gather_rights(process)); }

}  // namespace flametap::target
