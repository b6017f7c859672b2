// Counts what a test program allocates. To be included by one file of the program only: it replaces operator new.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace flametap {

inline std::atomic<std::size_t> allocation_count{0};

}  // namespace flametap

// Not inline: g++ would take malloc and delete for a mismatch. All kinds together: what one of them gives, any of the
// others may have to take back.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++flametap::allocation_count;
  void* const room = std::malloc(size);
  if (room == nullptr) std::abort();
  return room;
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++flametap::allocation_count;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* room, const std::nothrow_t&) noexcept { std::free(room); }
[[gnu::noinline]] void operator delete(void* room) noexcept { std::free(room); }
[[gnu::noinline]] void operator delete(void* room, std::size_t) noexcept { std::free(room); }
