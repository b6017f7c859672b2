// How a sample came about. Counted for every sample and always reported: a loss is never hidden.
#pragma once

#include <cstdint>

namespace flametap::stack {

// Which step of the engine gave a verified stack.
enum class Step : std::uint8_t {
  free_running,  // the readings agreed while the target ran on
  interrupt,     // its CPU was interrupted, and its memory copied meanwhile
  ride_along,    // read from the target's own CPU, so that it stood still meanwhile
  pause,         // its thread was stopped with ptrace for the reading
};

enum class Outcome : std::uint8_t {
  complete,
  truncated,   // deeper than we follow; the innermost frames are there
  torn,        // it kept moving and we may not stop it: no stack
  no_frames,   // the thread runs no Python at the moment
  unreadable,  // memory that cannot be a Python stack: no stack
};

// What a thread was doing when it was sampled; a set of bits. A thread with none of them is idle: it waits for
// something that is not the GIL.
using State = std::uint8_t;
inline constexpr State kOnCpu = 1;  // or ready for one: see kReady
inline constexpr State kHoldsGil = 2;
inline constexpr State kWaitsForGil = 4;
inline constexpr State kInGc = 8;            // its interpreter collects garbage, and it is the thread that does
inline constexpr State kReady = 16;          // with kOnCpu: it was ready to run, but waited for a CPU
inline constexpr State kAsleepWithGil = 32;  // with kHoldsGil: it slept. Older recordings say neither of these two.

// Of a thread that runs, or would if it had a CPU.
[[nodiscard]] constexpr State on_cpu(bool is_ready) { return is_ready ? State{kOnCpu | kReady} : kOnCpu; }

}  // namespace flametap::stack
