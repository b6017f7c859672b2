// PyflameSampler: samples one process by Pyflame's rule and keeps what it prints of that.
//
// At every tick there is the stack of the thread that holds the GIL, or `(idle)`: nobody does, or it runs no Python.
// The threads are read one after the other while the GIL passes between them, so the moment that decides is when the
// first one is read: whoever holds the GIL then is shown with its stack of this tick. Rejected: to show whoever holds
// the GIL when it is itself read. Of a GIL that changes hands in between, that shows two holders or none. With
// `threads`, there is the stack of every thread that has one. What cannot be read is `(failed)`. With C stacks, what
// the main thread does stands in place of `(idle)`.
//
// Unlike the Recorder it looks at a tick as a whole, and keeps the time of each. One thread only.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/pyflame_output.h"
#include "sampler/cpu_seat.h"
#include "sampler/process_sampler.h"
#include "sampler/stack_table.h"
#include "target/memory.h"

namespace flametap::cli {

// One thread at one tick.
struct PyflameThread {
  target::Address state;
  target::Address gil;                        // which GIL it needs, where there are several
  std::optional<target::Address> gil_holder;  // who had it when this thread was read; null: nobody; nothing: not known
  PyflameLog::LineId line;                    // its stack; kIdle: it has none
};

// What the holders of the GIL (of each GIL) do: at least one line, kIdle only alone. Nothing: the holder is a thread
// that we do not know yet.
[[nodiscard]] std::optional<std::vector<PyflameLog::LineId>> lines_of_gil_holders(std::span<const PyflameThread> tick);
// The stacks of all threads; at least one line, kIdle only alone.
[[nodiscard]] std::vector<PyflameLog::LineId> lines_of_all(std::span<const PyflameThread> tick);

class PyflameSampler {
 public:
  struct Options {
    double seconds = 1;  // 0: one sample; negative: without end
    Nanoseconds interval = kSecond / 100;
    bool threads = false;
    bool line_numbers = true;
  };
  // Called when a process is gone; gives what to sample instead, or null.
  using Successor = std::function<std::unique_ptr<sampler::ProcessSampler>()>;

  // `log` must outlive it.
  PyflameSampler(Options options, sampler::CpuSeat seat, PyflameLog& log);

  // Ends when the time is up, the process and its successors are gone, or `stop` is set (within 50 ms). Takes at least
  // one sample of a process that lives and of a time that is not over.
  void run(std::unique_ptr<sampler::ProcessSampler> process, const Successor& successor, const std::atomic<bool>& stop);

 private:
  void follow(std::unique_ptr<sampler::ProcessSampler> process);
  void wait_until(Nanoseconds deadline, const std::atomic<bool>& stop);
  [[nodiscard]] sampler::Fate sample();
  [[nodiscard]] sampler::Fate read_threads();
  [[nodiscard]] PyflameLog::LineId line_of(const sampler::ThreadSample& sample);
  [[nodiscard]] std::vector<std::string> frames_of(const sampler::ThreadSample& sample) const;
  [[nodiscard]] std::uint64_t unix_us() const;

  Options options_;
  sampler::CpuSeat seat_;
  PyflameLog& log_;
  std::unique_ptr<sampler::ProcessSampler> process_;
  sampler::StackTable stacks_;             // of this process
  std::vector<PyflameLog::LineId> lines_;  // by number in stacks_
  std::vector<PyflameThread> tick_;
  PyflameLog::LineId main_line_ = PyflameLog::kIdle;  // of the main thread, at this tick
  Nanoseconds start_;
  std::uint64_t start_unix_us_;
};

}  // namespace flametap::cli
