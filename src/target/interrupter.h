// Interrupter: memory of a thread of another process, copied in an interrupt of the CPU on which it runs. The thread
// stands still meanwhile, wherever it was, so that all of the copy is of one instant; and it goes on at once, without
// having left its CPU.
//
// A program for the kernel does it (bpf/interrupt.bpf.c): that takes root or CAP_BPF and CAP_PERFMON, and Linux 5.10.
// It is attached to nothing and changes nothing; it is gone with the last of our descriptors. One thread only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "target/memory.h"

namespace flametap::target {

class Interrupter {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Interrupter>> load();
  Interrupter(const Interrupter&) = delete;
  Interrupter& operator=(const Interrupter&) = delete;
  ~Interrupter();

  // Fills the segments if the thread is running on that CPU, which must not be the caller's. `elsewhere` if it is not;
  // `unmapped`: a part of it is not in memory, or all of it is too much to hold up a CPU for. Allocates nothing.
  [[nodiscard]] ReadResult read(int cpu, pid_t tid, std::span<const Segment> segments);

 private:
  struct Programs;
  explicit Interrupter(std::unique_ptr<Programs> programs);
  [[nodiscard]] bool ask(std::span<const Segment> segments);
  std::size_t fetch(std::span<const Segment> segments) const;

  std::unique_ptr<Programs> programs_;
};

// What one thread's memory looks like from its own CPU.
class InterruptedMemory final : public Memory {
 public:
  InterruptedMemory(Interrupter& interrupter, int cpu, pid_t tid) : interrupter_(interrupter), cpu_(cpu), tid_(tid) {}

  using Memory::read;
  [[nodiscard]] ReadResult read(std::span<const Segment> segments) override {
    return interrupter_.read(cpu_, tid_, segments);
  }

 private:
  Interrupter& interrupter_;
  int cpu_;
  pid_t tid_;
};

}  // namespace flametap::target
