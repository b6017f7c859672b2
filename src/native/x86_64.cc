#include "native/x86_64.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

namespace flametap::native {
namespace {

// In the order of DWARF's numbers.
Registers from_kernel(const user_regs_struct& user) {
  const std::array<std::uint64_t, kRegisterCount> values{user.rax, user.rdx, user.rcx, user.rbx, user.rsi, user.rdi,
                                                         user.rbp, user.rsp, user.r8,  user.r9,  user.r10, user.r11,
                                                         user.r12, user.r13, user.r14, user.r15, user.rip};
  Registers registers;
  for (std::size_t i = 0; i < kRegisterCount; ++i) registers.set(i, values[i]);
  return registers;
}

}  // namespace

StoppedRegisters read_stopped_registers(pid_t tid) {
  user_regs_struct user{};
  iovec place{&user, sizeof user};
  StoppedRegisters result;
  if (::ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &place) != 0) return result;
  // The kernel gives the registers of a 32-bit program in a shorter form. A 64-bit one may run 32-bit code too, in this
  // segment.
  constexpr std::uint64_t kCompatibilitySegment = 0x23;
  if (place.iov_len != sizeof user || user.cs == kCompatibilitySegment) {
    result.status = RegistersStatus::not_64_bit;
    return result;
  }
  result.status = RegistersStatus::ok;
  result.registers = from_kernel(user);
  const auto number = static_cast<std::int64_t>(user.orig_rax);
  if (number >= 0) result.system_call = number;
  result.thread_pointer = user.fs_base;
  return result;
}

Registers sleeping_registers(target::Address stack_pointer, target::Address program_counter) {
  Registers registers;
  registers.set(kStackPointer, to_number(stack_pointer));
  registers.set(kReturnAddress, to_number(program_counter));
  return registers;
}

std::optional<Registers> guess_caller(const Registers& registers, const StackView& stack) {
  if (!registers.knows(kFramePointer) || registers[kFramePointer] < registers[kStackPointer]) return std::nullopt;
  const target::Address frame{registers[kFramePointer]};
  const auto callers_frame = stack.word(frame);
  const auto return_address = stack.word(frame + 8);
  if (!callers_frame || !return_address) return std::nullopt;
  Registers caller;
  // Other preserved registers lie somewhere in the frame: nothing says where.
  caller.set(kFramePointer, *callers_frame);
  caller.set(kStackPointer, registers[kFramePointer] + 16);
  caller.set(kReturnAddress, *return_address);
  return caller;
}

}  // namespace flametap::native
