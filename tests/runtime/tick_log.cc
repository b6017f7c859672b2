// Preloaded into flametap, writes down what the thread that samples asks of the system and of the heap, in order: one
// number of 16 bits per system call, which is the call's own, and kAllocation per allocation. The list begins when
// flametap prepares to sample. It stands in the file that FLAMETAP_TICK_LOG names, which is mapped, so that it can be
// read while it grows: a word of 64 bits that says how many numbers there are, and the numbers.
//
// The kernel itself hands every system call of the thread to us before it does it (syscall user dispatch, since Linux
// 5.11), so none is missed, whichever library it comes from. It costs about a microsecond. Under strace a call takes so
// long that flametap no longer believes what it read meanwhile, and reads again.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

// What the C library's allocator is called behind the names that are replaced here.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

// The only instructions that make a system call without being asked about it.
long tick_log_call(long number, const long* arguments);
void tick_log_return();
extern const char tick_log_begin[];
extern const char tick_log_end[];
}

asm(R"(
  .pushsection .text
  .globl tick_log_begin, tick_log_call, tick_log_return, tick_log_end
  .hidden tick_log_begin, tick_log_call, tick_log_return, tick_log_end
tick_log_begin:
tick_log_call:
  mov %rdi, %rax
  mov %rsi, %r11
  mov 0(%r11), %rdi
  mov 8(%r11), %rsi
  mov 16(%r11), %rdx
  mov 24(%r11), %r10
  mov 32(%r11), %r8
  mov 40(%r11), %r9
  syscall
  ret
tick_log_return:
  mov $15, %eax    # rt_sigreturn
  syscall
  ud2
tick_log_end:
  .popsection
)");

namespace {

constexpr std::uint16_t kAllocation = 0xffff;
constexpr unsigned long kRestorer = 0x0400'0000;  // SA_RESTORER, which the C library keeps to itself

constexpr std::size_t kMaskBytes = 8;  // of the kernel's own masks of signals

// What the kernel takes; the C library would put its own way back from the handler into it.
struct KernelAction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};

constexpr std::size_t kMostEvents = std::size_t{1} << 22;

struct Log {
  std::atomic<std::uint64_t> count;
  std::uint16_t events[kMostEvents];
};

Log* written = nullptr;
char selector = SYSCALL_DISPATCH_FILTER_ALLOW;
thread_local bool is_logged [[gnu::tls_model("initial-exec")]] = false;

void note(std::uint16_t event) {
  const std::uint64_t count = written->count.load(std::memory_order_relaxed);
  if (count == kMostEvents) return;
  written->events[count] = event;
  written->count.store(count + 1, std::memory_order_release);
}

// Returns null if nobody asked for a log.
Log* open_log() {
  const char* const path = std::getenv("FLAMETAP_TICK_LOG");
  if (path == nullptr) return nullptr;
  const int file = ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* const mapped = ::mmap(nullptr, sizeof(Log), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return mapped == MAP_FAILED ? nullptr : static_cast<Log*>(mapped);
}

template <typename... Arguments>
long call(long number, Arguments... arguments) {
  const long all[6] = {(long)arguments...};
  return tick_log_call(number, all);
}

void on_system_call(int, siginfo_t*, void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (registers[REG_RAX] == SYS_rt_sigreturn) {  // the way back from a handler of flametap's own, on its stack
    registers[REG_RIP] = reinterpret_cast<greg_t>(tick_log_return);
    return;
  }
  note(static_cast<std::uint16_t>(registers[REG_RAX]));
  registers[REG_RAX] = call(registers[REG_RAX], registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                            registers[REG_R10], registers[REG_R8], registers[REG_R9]);
  // The way back from here restores the mask of signals: it has to restore the one that was just set.
  call(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &static_cast<ucontext_t*>(context)->uc_sigmask, kMaskBytes);
}

// Where the kernel does not know how to do this, the log stays empty.
void begin() {
  written = open_log();
  if (written == nullptr) return;
  const KernelAction action{on_system_call, SA_SIGINFO | SA_NODEFER | kRestorer, tick_log_return, 0};
  if (call(SYS_rt_sigaction, SIGSYS, &action, nullptr, kMaskBytes) != 0) return;
  if (call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, tick_log_begin, tick_log_end - tick_log_begin,
           &selector) != 0) {
    return;
  }
  is_logged = true;
  selector = SYSCALL_DISPATCH_FILTER_BLOCK;
}

[[gnu::destructor]] void end() {
  selector = SYSCALL_DISPATCH_FILTER_ALLOW;
  is_logged = false;
}

}  // namespace

extern "C" {

// Before it samples, flametap asks for an exact timer.
int prctl(int option, ...) {
  std::va_list list;
  va_start(list, option);
  unsigned long arguments[4];
  for (unsigned long& argument : arguments) argument = va_arg(list, unsigned long);
  va_end(list);
  const long result = call(SYS_prctl, option, arguments[0], arguments[1], arguments[2], arguments[3]);
  if (option == PR_SET_TIMERSLACK && !is_logged) begin();
  if (result >= 0) return static_cast<int>(result);
  errno = static_cast<int>(-result);
  return -1;
}

void* malloc(std::size_t size) {
  if (is_logged) note(kAllocation);
  return __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) {
  if (is_logged) note(kAllocation);
  return __libc_calloc(number, size);
}
void* realloc(void* old, std::size_t size) {
  if (is_logged) note(kAllocation);
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (is_logged) note(kAllocation);
  return __libc_memalign(alignment, size);
}
}
