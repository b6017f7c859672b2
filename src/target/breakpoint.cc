#include "target/breakpoint.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <utility>

namespace flametap::target {
namespace {

// Older headers do not name these codes of SIGTRAP.
constexpr int kTrapHardware = 4;
constexpr int kTrapPerf = 6;

constexpr std::size_t kAddressRegister = offsetof(struct user, u_debugreg[0]);
constexpr std::size_t kControlRegister = offsetof(struct user, u_debugreg[7]);
// Bit 0 arms register 0; its kind and length bits are 0: an instruction.
constexpr unsigned long kArmed = 1;

bool write_register(pid_t tid, std::size_t where, unsigned long value) {
  return ::ptrace(PTRACE_POKEUSER, tid, where, value) == 0;
}

}  // namespace

Result<Breakpoint> Breakpoint::set(pid_t tid, Address instruction) {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = PERF_TYPE_BREAKPOINT;
  wanted.bp_type = HW_BREAKPOINT_X;
  wanted.bp_addr = to_number(instruction);
  wanted.bp_len = sizeof(long);
  wanted.sample_period = 1;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.sigtrap = 1;
  wanted.remove_on_exec = 1;
  const long event = ::syscall(SYS_perf_event_open, &wanted, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (event < 0) return set_by_ptrace(tid, instruction);
  return Breakpoint(tid, instruction, Fd(static_cast<int>(event)));
}

Result<Breakpoint> Breakpoint::set_by_ptrace(pid_t tid, Address instruction) {
  if (!write_register(tid, kAddressRegister, to_number(instruction)) ||
      !write_register(tid, kControlRegister, kArmed)) {
    return errno_error("cannot set a breakpoint", errno);
  }
  return Breakpoint(tid, instruction, Fd());
}

Breakpoint::Breakpoint(Breakpoint&& other) noexcept
    : tid_(std::exchange(other.tid_, 0)), instruction_(other.instruction_), event_(std::move(other.event_)) {}

Breakpoint::~Breakpoint() {
  // Fails only if the thread is no more.
  if (tid_ != 0 && !event_) write_register(tid_, kControlRegister, 0);
}

bool Breakpoint::reached() const {
  siginfo_t info{};
  if (::ptrace(PTRACE_GETSIGINFO, tid_, nullptr, &info) != 0 || info.si_signo != SIGTRAP) return false;
  if (event_)
    return info.si_code == kTrapPerf && Address{reinterpret_cast<std::uintptr_t>(info.si_addr)} == instruction_;
  return info.si_code == kTrapHardware;
}

}  // namespace flametap::target
