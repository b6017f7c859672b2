// ptrace() with a number where it wants a pointer.
#pragma once

#include <sys/ptrace.h>
#include <sys/types.h>

#include <cstdint>

namespace flametap::target {

template <typename Number>
long trace(__ptrace_request request, pid_t tid, Number data) {
  return ::ptrace(request, tid, nullptr, reinterpret_cast<void*>(static_cast<std::uintptr_t>(data)));
}

}  // namespace flametap::target
