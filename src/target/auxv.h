// What the kernel told a program when it began (/proc/PID/auxv).
#pragma once

#include "target/memory.h"
#include "target/process.h"

namespace flametap::target {

// Null: not told, or it cannot be read.
struct Auxv {
  Address program_headers = kNull;  // of the program that was started, which may be a loader itself (AT_PHDR)
  Address entry = kNull;            // the first instruction of that program (AT_ENTRY)
  Address loader = kNull;           // where the loader that the program asks for is mapped (AT_BASE)
};

[[nodiscard]] Auxv read_auxv(const Process& process);

}  // namespace flametap::target
