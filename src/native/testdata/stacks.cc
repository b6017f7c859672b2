// A program whose C stack is hard to unwind, each time in another way: the first argument says in which. It says that
// it is ready from the innermost call, and stays there.
#include <alloca.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

volatile std::uint64_t sink;

using Body = void (*)();

void say_ready() {
  if (write(STDOUT_FILENO, "r", 1) != 1) _exit(1);
}

[[gnu::noinline]] void spin() {
  while (true) sink = sink + 1;
}

void say_ready_and_spin() {
  say_ready();
  spin();
}

}  // namespace

// One has a frame pointer, the other not even that: neither has unwind information. Both call their argument.
extern "C" void call_with_frame_pointer(Body body);
extern "C" void call_without_anything(Body body);
extern "C" void call_and_leave(Body body);
asm(R"(
  .text
  .type call_with_frame_pointer, @function
call_with_frame_pointer:
  push %rbp
  mov %rsp, %rbp
  sub $48, %rsp
  call *%rdi
  leave
  ret
  .size call_with_frame_pointer, . - call_with_frame_pointer
  .type call_without_anything, @function
call_without_anything:
  xor %ebp, %ebp
  sub $72, %rsp
  call *%rdi
  nop
  add $72, %rsp
  ret
  .size call_without_anything, . - call_without_anything
  .type call_and_leave, @function
call_and_leave:
  push %rbx
  sub $64, %rsp
  mov %rsp, %rbx
  call *%rdi
  add $64, %rsp
  pop %rbx
  ret
  .size call_and_leave, . - call_and_leave
)");

namespace outer::inner {

struct [[gnu::aligned(64)]] Wide {
  std::uint64_t words[16];
};

[[gnu::noinline]] std::uint64_t leaf(std::uint64_t x) { return x * 2654435761u + 1; }

[[gnu::noinline]] std::uint64_t aligned(std::size_t size, Body body) {
  Wide wide;
  auto* const room = static_cast<unsigned char*>(alloca(size));
  std::memset(room, 7, size);
  for (std::uint64_t& word : wide.words) word = sink;
  asm volatile("" : : "r"(&wide), "r"(room) : "memory");
  body();
  return wide.words[size % 16] + room[size / 2];
}

[[gnu::noinline]] std::uint64_t recurse(unsigned depth, Body body) {
  volatile unsigned char room[200];
  room[depth % 200] = 1;
  if (depth == 0) {
    body();
  } else {
    recurse(depth - 1, body);
  }
  return room[7];
}

[[gnu::noinline]] std::uint64_t recurse_widely(unsigned depth, Body body) {
  volatile unsigned char room[4096];
  room[depth] = 1;
  if (depth == 0) {
    body();
  } else {
    recurse_widely(depth - 1, body);
  }
  return room[7];
}

int compare(const void* left, const void* right) {
  return *static_cast<const int*>(left) - *static_cast<const int*>(right) + static_cast<int>(leaf(1) & 0);
}

// Through the procedure linkage table, into the C library and back.
[[gnu::noinline]] void sort() {
  int numbers[64];
  for (int& number : numbers) number = rand();
  qsort(numbers, 64, sizeof numbers[0], compare);
  sink = static_cast<std::uint64_t>(numbers[0]);
}

}  // namespace outer::inner

namespace {

using namespace outer::inner;

void on_signal(int) { say_ready_and_spin(); }
void on_busy_signal(int) { sink = sink + leaf(sink); }

void interrupt() {
  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
}

void interrupt_on_other_stack() {
  constexpr std::size_t kSize = 64 * 1024;
  stack_t stack{};
  stack.ss_sp = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack.ss_size = kSize;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, nullptr);
  raise(SIGUSR1);
}

void ask_time() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  sink = static_cast<std::uint64_t>(now.tv_nsec);
}

void sleep_long() {
  say_ready();
  const timespec long_time{1000, 0};
  nanosleep(&long_time, nullptr);
}

void read_for_ever() {
  int ends[2];
  if (pipe(ends) != 0) _exit(1);
  say_ready();
  char byte = 0;
  if (read(ends[0], &byte, 1) != 1) _exit(1);
}

void poll_for_ever() {
  say_ready();
  poll(nullptr, 0, -1);
}

void run_thread(Body body) {
  pthread_t thread{};
  pthread_create(
      &thread, nullptr,
      [](void* argument) -> void* {
        recurse(3, reinterpret_cast<Body>(argument));
        return nullptr;
      },
      reinterpret_cast<void*>(body));
  pthread_join(thread, nullptr);
}

// Machine code that belongs to no file, with a frame pointer.
void run_generated() {
  const unsigned char code[] = {0x55,                    // push %rbp
                                0x48, 0x89, 0xe5,        // mov %rsp, %rbp
                                0x48, 0x83, 0xec, 0x20,  // sub $32, %rsp
                                0xff, 0xd7,              // call *%rdi
                                0xc9, 0xc3};             // leave; ret
  void* const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) _exit(1);
  std::memcpy(page, code, sizeof code);
  reinterpret_cast<void (*)(Body)>(page)(say_ready_and_spin);
}

void nothing() { sink = leaf(sink); }

// Everything in turn, for stops at any moment; a timer adds signals.
void mix() {
  signal(SIGALRM, on_busy_signal);
  timer_t timer{};
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  const itimerspec often{{0, 300'000}, {0, 300'000}};
  timer_settime(timer, 0, &often, nullptr);
  say_ready();
  while (true) {
    for (unsigned i = 0; i < 50; ++i) {
      recurse(i, nothing);
      aligned(16 + i * 8, sort);
      sort();
      ask_time();
      free(malloc(100 + i));
      sink = sink + leaf(i);
    }
    call_with_frame_pointer(nothing);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view way = argc > 1 ? argv[1] : "";
  if (way == "spin") recurse(5, say_ready_and_spin);
  if (way == "aligned") aligned(100, [] { aligned(33, say_ready_and_spin); });
  if (way == "deep") recurse(3000, say_ready_and_spin);
  if (way == "too_deep") recurse(20'000, say_ready_and_spin);
  if (way == "wide") recurse_widely(1000, say_ready_and_spin);
  if (way == "signal") recurse(2, interrupt);
  if (way == "other_stack") recurse(2, interrupt_on_other_stack);
  if (way == "frame_pointer") recurse(2, [] { call_with_frame_pointer(say_ready_and_spin); });
  if (way == "nothing") recurse(2, [] { call_without_anything(say_ready_and_spin); });
  if (way == "leaving") recurse(2, [] { call_and_leave(say_ready_and_spin); });
  if (way == "generated") recurse(2, run_generated);
  if (way == "nanosleep") recurse(2, sleep_long);
  if (way == "read") recurse(2, read_for_ever);
  if (way == "poll") recurse(2, poll_for_ever);
  if (way == "thread") run_thread(say_ready_and_spin);
  if (way == "mix") recurse(2, mix);
  return 1;
}
