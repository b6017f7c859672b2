// A small program that tests start, find in memory and look into. Says that it is ready, then waits.
#include <unistd.h>

#include <cstdint>

extern "C" {
extern std::uint64_t exported_number;
extern std::uint64_t exported_zeros[8192];
std::uint64_t exported_number = 0x1122334455667788;
std::uint64_t exported_zeros[8192];
[[gnu::section(".marker")]] extern std::uint64_t number_in_marker;
std::uint64_t number_in_marker = 0x99aabbccddeeff00;
}

static volatile std::uint64_t hidden_number = 0x0102030405060708;

int main() {
  exported_zeros[8191] = hidden_number;
  if (write(STDOUT_FILENO, "r", 1) != 1) return 1;
  while (true) pause();
}
