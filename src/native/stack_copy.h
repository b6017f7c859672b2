// StackCopy: the registers of one thread and the used part of its stack, as they were at one moment: enough to unwind
// it later, while the thread runs on.
//
// Reused for every sample of every thread of a process: it allocates only until its buffer is large enough, and when it
// meets a new thread. It remembers how far up each thread's stack is in use, so that what lies above the outermost call
// (the environment, thread-local variables) is not copied. Not safe for concurrent calls.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "native/address_space.h"
#include "native/frame.h"
#include "native/stack_view.h"
#include "native/x86_64.h"
#include "target/memory.h"
#include "target/thread_stat.h"

namespace flametap::native {

enum class CaptureStatus : std::uint8_t {
  ok,
  gone,         // the thread is no more (or is not stopped)
  denied,       // we lack the rights
  unreadable,   // its stack pointer points to nothing
  unsupported,  // it runs 32-bit code
};

class StackCopy {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  // Of a thread that a target::Pause holds. Two system calls.
  [[nodiscard]] CaptureStatus capture_stopped(pid_t tid, target::Memory& memory, AddressSpace& space);

  // Of a thread that sleeps in a system call, and is left alone: a stop would end some calls with EINTR. `call` is what
  // ThreadSyscall said. Whether it slept on until the copy was made is for the caller to find out: ask
  // ThreadSchedstat or ThreadSyscall before and after.
  [[nodiscard]] CaptureStatus capture_sleeping(pid_t tid, const target::TaskSyscall& call, target::Memory& memory,
                                               AddressSpace& space);

  // Reads again what was copied last, and forgets it: what follows finds the memory at hand, and is quicker for it.
  void rehearse(target::Memory& memory);

  // Of bytes at hand, for tests.
  void assign(const Registers& registers, target::Address begin, Bytes bytes);

  [[nodiscard]] pid_t tid() const { return tid_; }
  [[nodiscard]] const Registers& registers() const { return registers_; }
  [[nodiscard]] StackView stack() const { return {begin_, Bytes(buffer_).first(size_)}; }
  // The system call that the thread was in, if it was in one.
  [[nodiscard]] std::optional<std::int64_t> system_call() const { return system_call_; }
  // What pthread_self() gives the thread; 0 if it slept, as nobody tells then.
  [[nodiscard]] std::uint64_t thread_pointer() const { return thread_pointer_; }

  // What unwinding this copy came to: decides how much of the thread's stack is copied next time. Unwinder calls it.
  void learn(UnwindEnd end, std::span<const Frame> frames);
  // The thread has ended; its id may mean another one.
  void forget(pid_t tid) { used_ends_.erase(tid); }

 private:
  [[nodiscard]] CaptureStatus copy(target::Memory& memory, AddressSpace& space);
  [[nodiscard]] std::uint64_t size_to_copy(AddressSpace& space) const;
  // How many bytes from `begin` on could be read.
  [[nodiscard]] target::ReadStatus read(target::Memory& memory, target::Address begin, std::uint64_t size);

  pid_t tid_ = 0;
  Registers registers_;
  std::optional<std::int64_t> system_call_;
  std::uint64_t thread_pointer_ = 0;
  target::Address begin_ = target::kNull;
  std::size_t size_ = 0;
  std::vector<std::byte> buffer_;
  // By thread: the end of its outermost call.
  std::unordered_map<pid_t, target::Address> used_ends_;
};

}  // namespace flametap::native
