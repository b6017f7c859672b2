// The names of x86-64 Linux system calls, as of the kernel headers that flametap was built with.
#pragma once

#include <cstdint>
#include <string>

namespace flametap::native {

// "read" for 0; "syscall_N" for a number that those headers do not know.
[[nodiscard]] std::string syscall_name(std::int64_t number);

}  // namespace flametap::native
