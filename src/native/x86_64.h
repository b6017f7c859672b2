// What unwinding must know of the x86-64: its registers by the numbers that DWARF gives them, how they come out of a
// stopped or a sleeping thread, and what a call keeps of them. All that is special to this processor is here and in
// x86_64.cc; another processor is another pair of files with the same names in them.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "native/stack_view.h"
#include "target/memory.h"

namespace flametap::native {

inline constexpr std::size_t kRegisterCount = 17;
inline constexpr std::size_t kFramePointer = 6;    // rbp, where a function uses it as such
inline constexpr std::size_t kStackPointer = 7;    // rsp
inline constexpr std::size_t kReturnAddress = 16;  // a column of the tables; of the running function: rip

// Below the stack pointer, and still in use: a function may keep values there, and what it just popped lies there.
inline constexpr std::uint64_t kRedZone = 128;

// A function returns with these as it found them: rbx, rbp, r12 to r15.
inline constexpr std::uint32_t kPreserved = 1u << 3 | 1u << 6 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 15;

// The registers of one call, as far as they are known. `number` is below kRegisterCount.
class Registers {
 public:
  [[nodiscard]] bool knows(std::size_t number) const { return (known_ >> number & 1) != 0; }
  // Only if it is known.
  [[nodiscard]] std::uint64_t operator[](std::size_t number) const { return values_[number]; }
  void set(std::size_t number, std::uint64_t value) {
    values_[number] = value;
    known_ |= 1u << number;
  }
  void forget(std::size_t number) { known_ &= ~(1u << number); }
  // What a caller finds in its registers when nothing else is said.
  void keep_preserved() { known_ &= kPreserved; }

 private:
  std::array<std::uint64_t, kRegisterCount> values_{};
  std::uint32_t known_ = 0;
};

enum class RegistersStatus : std::uint8_t {
  ok,
  gone,        // the thread is no more, or is not stopped by us
  not_64_bit,  // it runs code of another kind
};

struct StoppedRegisters {
  RegistersStatus status = RegistersStatus::gone;
  Registers registers;
  // The system call that the stop came out of, if it did: the thread was in it, and goes on right behind it.
  std::optional<std::int64_t> system_call;
  // Where the thread keeps its own variables: what pthread_self() gives it.
  std::uint64_t thread_pointer = 0;
};

// Of a thread that this very thread has stopped with ptrace.
[[nodiscard]] StoppedRegisters read_stopped_registers(pid_t tid);

// Of a thread that sleeps in a system call: nobody tells more than these two.
[[nodiscard]] Registers sleeping_registers(target::Address stack_pointer, target::Address program_counter);

// The caller's registers if all that the function does from here on is to leave: it gives back its part of the stack,
// pops what it saved, and returns. `code` is what it is about to execute. No guess: this is what will happen. Nothing
// if there is anything else in the code, or a word that it needs does not lie in the copy.
[[nodiscard]] std::optional<Registers> leave(Bytes code, const Registers& registers, const StackView& stack);
// How much of the code to read for it: no usual way out is longer.
inline constexpr std::size_t kLeavingBytes = 32;

// Whether what stands right before an address of return can be a call. `before` ends there.
[[nodiscard]] bool may_end_with_call(Bytes before);
// How much of the code to read for it: the longest call.
inline constexpr std::size_t kLongestCall = 7;

// The caller's registers if the function keeps its frame pointer, as it does without optimisation: only a guess.
// Nothing if the words that it would need do not lie in the copy, above the stack pointer.
[[nodiscard]] std::optional<Registers> guess_caller(const Registers& registers, const StackView& stack);

}  // namespace flametap::native
