#include "native/x86_64.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include <algorithm>
#include <initializer_list>

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

bool begins_with(Bytes code, std::initializer_list<std::uint8_t> bytes) {
  return code.size() >= bytes.size() && std::equal(bytes.begin(), bytes.end(), code.begin(),
                                                   [](auto wanted, auto found) { return std::byte{wanted} == found; });
}

// The length of a `ret`, if there is one.
std::optional<std::size_t> returns(Bytes code) {
  if (begins_with(code, {0xc3})) return 1;
  if (begins_with(code, {0xf3, 0xc3})) return 2;
  return std::nullopt;
}

struct Addition {
  std::uint64_t bytes = 0;
  std::size_t length = 0;
};

// `add $bytes, %rsp`, with a short or a long number.
std::optional<Addition> adds_to_stack_pointer(Bytes code) {
  constexpr std::size_t kOpcode = 3;
  std::optional<Addition> found;
  if (begins_with(code, {0x48, 0x83, 0xc4})) {
    if (const auto bytes = load<std::int8_t>(code, kOpcode); bytes && *bytes > 0) {
      found = Addition{static_cast<std::uint64_t>(*bytes), kOpcode + 1};
    }
  } else if (begins_with(code, {0x48, 0x81, 0xc4})) {
    if (const auto bytes = load<std::int32_t>(code, kOpcode); bytes && *bytes > 0) {
      found = Addition{static_cast<std::uint64_t>(*bytes), kOpcode + 4};
    }
  }
  return found;
}

struct Popped {
  std::size_t number = 0;  // DWARF's
  std::size_t length = 0;
};

// `pop` of any register but the stack pointer.
std::optional<Popped> pops(Bytes code) {
  // The processor counts the first eight in another order than DWARF does.
  constexpr std::array<std::size_t, 8> kNumbers = {0, 2, 1, 3, kStackPointer, kFramePointer, 4, 5};
  const bool extended = begins_with(code, {0x41});
  const auto opcode = load<std::uint8_t>(code, extended ? 1 : 0);
  if (!opcode || *opcode < 0x58 || *opcode > 0x5f) return std::nullopt;
  const std::size_t index = *opcode - 0x58u;
  const std::size_t number = extended ? 8 + index : kNumbers[index];
  if (number == kStackPointer) return std::nullopt;
  return Popped{number, extended ? 2u : 1u};
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

std::optional<Registers> leave(Bytes code, const Registers& registers, const StackView& stack) {
  Registers now = registers;
  while (!code.empty()) {
    const std::uint64_t stack_pointer = now[kStackPointer];
    if (const auto length = returns(code)) {
      const auto return_address = stack.word(target::Address{stack_pointer});
      if (!return_address) return std::nullopt;
      now.keep_preserved();
      now.set(kStackPointer, stack_pointer + 8);
      now.set(kReturnAddress, *return_address);
      return now;
    }
    if (const auto add = adds_to_stack_pointer(code)) {
      now.set(kStackPointer, stack_pointer + add->bytes);
      code = code.subspan(add->length);
    } else if (const auto pop = pops(code)) {
      const auto value = stack.word(target::Address{stack_pointer});
      if (!value) return std::nullopt;
      now.set(kStackPointer, stack_pointer + 8);
      now.set(pop->number, *value);
      code = code.subspan(pop->length);
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool may_end_with_call(Bytes before) {
  const auto byte_at = [&](std::size_t from_end) {
    return from_end <= before.size() ? std::to_integer<unsigned>(before[before.size() - from_end]) : 0u;
  };
  if (byte_at(5) == 0xe8) return true;  // to an address
  // To where a register or a word of memory points: 0xff, and 2 in the middle bits of the next byte.
  for (const std::size_t length : {2u, 3u, 4u, 6u, 7u}) {
    if (byte_at(length) == 0xff && (byte_at(length - 1) >> 3 & 7) == 2) return true;
  }
  return false;
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
