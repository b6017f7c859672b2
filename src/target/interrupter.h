// Interrupter: memory of a thread of another process, copied in an interrupt of the CPU on which it runs. The thread
// stands still meanwhile, wherever it was, so that all of the copy is of one instant; and it goes on at once, without
// having left its CPU.
//
// A program for the kernel does it (bpf/interrupt.bpf.c): that takes root or CAP_BPF and CAP_PERFMON, and Linux 5.10.
// It is attached to nothing and changes nothing; it is gone with the last of our descriptors. One thread only.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "target/memory.h"
#include "target/trail.h"

namespace flametap::target {

class Interrupter {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Interrupter>> load();
  Interrupter(const Interrupter&) = delete;
  Interrupter& operator=(const Interrupter&) = delete;
  ~Interrupter();

  // Fills the segments if the thread is running on that CPU, which must not be the caller's. `elsewhere` if it is not;
  // `unmapped`: a part of it is not in memory, or all of it is too much to hold up a CPU for. Allocates nothing.
  // `trail`: what to follow besides, in the same interrupt; null: nothing.
  [[nodiscard]] ReadResult read(int cpu, pid_t tid, std::span<const Segment> segments, const Trail* trail = nullptr);
  // What was followed in the last reading, as far as it was there and there is room. Until the next reading.
  [[nodiscard]] Memory& followed();
  // How many steps of the trail it takes to what was read of that.
  [[nodiscard]] std::size_t steps_used() const;

 private:
  struct Programs;
  class Followed;
  explicit Interrupter(std::unique_ptr<Programs> programs);
  [[nodiscard]] bool ask(std::span<const Segment> segments);
  void ask_to_follow(const Trail* trail);
  [[nodiscard]] ReadResult fetch(std::span<const Segment> segments) const;

  std::unique_ptr<Programs> programs_;
  std::unique_ptr<Followed> followed_;
};

// What one thread's memory looks like from its own CPU.
class InterruptedMemory final : public Memory {
 public:
  InterruptedMemory(Interrupter& interrupter, int cpu, pid_t tid, const Trail* trail)
      : interrupter_(interrupter), cpu_(cpu), tid_(tid), trail_(trail) {}

  using Memory::read;
  [[nodiscard]] ReadResult read(std::span<const Segment> segments) override {
    return interrupter_.read(cpu_, tid_, segments, trail_);
  }

 private:
  Interrupter& interrupter_;
  int cpu_;
  pid_t tid_;
  const Trail* trail_;
};

}  // namespace flametap::target
