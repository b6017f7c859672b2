// A program with markers as CPython has them, and with such as a reader must pass by. Says that it is ready, then
// waits.
#include <unistd.h>

#include <cstdint>

extern "C" {
// Not zero, as real ones are, so that a test can find them in the file.
[[gnu::section(".probes")]] extern std::uint16_t entry_semaphore;
[[gnu::section(".probes")]] extern std::uint16_t gc_semaphore;
std::uint16_t entry_semaphore = 0x1234;
std::uint16_t gc_semaphore = 0x5678;
std::uint64_t in_bss = 0;
}

// One note, as sys/sdt.h would write it. LOCATION and SEMAPHORE are expressions of the assembler.
#define NOTE(LOCATION, SEMAPHORE, PROVIDER, NAME, ARGUMENTS)              \
  __asm__(                                                                \
      ".pushsection .note.stapsdt,\"\",\"note\"\n"                        \
      ".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"                       \
      "991: .asciz \"stapsdt\"\n992: .balign 4\n"                         \
      "993: .8byte " LOCATION                                             \
      "\n.8byte test_stapsdt_base\n"                                      \
      ".8byte " SEMAPHORE                                                 \
      "\n"                                                                \
      ".asciz \"" PROVIDER "\"\n.asciz \"" NAME "\"\n.asciz \"" ARGUMENTS \
      "\"\n"                                                              \
      "994: .balign 4\n.popsection\n")

__asm__(
    ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
    ".hidden test_stapsdt_base\n.globl test_stapsdt_base\n"
    "test_stapsdt_base: .space 1\n.size test_stapsdt_base, 1\n.popsection\n");

__asm__(
    ".text\n"
    ".globl first_entry, second_entry, start_of_gc, without_semaphore\n"
    "first_entry: nop\n"
    "second_entry: nop\n"
    "start_of_gc: nop\n"
    "without_semaphore: nop\n"
    "ret\n");

NOTE("second_entry", "entry_semaphore", "python", "function__entry", "8@%rbp 8@%r12 -4@%eax");
NOTE("first_entry", "entry_semaphore", "python", "function__entry", "8@%rbx 8@%r12 -4@%eax");
NOTE("start_of_gc", "gc_semaphore", "python", "gc__start", "-4@112(%rsp)");
NOTE("without_semaphore", "0", "python", "audit", "");
NOTE("first_entry", "0", "ruby", "method__entry", "8@%rbp");
NOTE("0x10", "entry_semaphore", "python", "not_in_code", "");
NOTE("in_bss", "entry_semaphore", "python", "in_data", "");
NOTE("first_entry", "in_bss", "python", "semaphore_not_in_file", "");
NOTE("first_entry", "0", "python", "", "");
NOTE("first_entry", "0", "python", "\\033[2J", "");
NOTE("first_entry", "0", "python", "line", "\\033[2J");

int main() {
  if (write(STDOUT_FILENO, "r", 1) != 1) return 1;
  while (true) pause();
}
