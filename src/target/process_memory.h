// ProcessMemory: the memory of a live process, read with process_vm_readv. The target is neither stopped nor written.
//
// Names a process by its pid alone: whether the pid still means the same process is Process::alive()'s to say.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <array>

#include "target/memory.h"

namespace flametap::target {

class ProcessMemory : public Memory {
 public:
  // `pid` may be the id of any thread of the process.
  explicit ProcessMemory(pid_t pid) : pid_(pid) {}

  using Memory::read;
  [[nodiscard]] ReadResult read(std::span<const Segment> segments) override;

 private:
  // At most kMaxSegments segments, in one system call.
  ReadResult read_once(std::span<const Segment> segments);

  pid_t pid_;
  // Members, so that a read needs neither the heap nor 32 KiB of stack.
  std::array<iovec, kMaxSegments> local_{};
  std::array<iovec, kMaxSegments> remote_{};
};

}  // namespace flametap::target
