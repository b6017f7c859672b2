// Memory of another process (or a picture of one), as the rest of flametap sees it.
//
// A live target keeps running while it is read: any single read may be torn, and two segments of one call are read one
// after the other, in the order given, not at one instant. Not safe for concurrent calls: one reader, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace flametap::target {

// A pointer in the target. Never a C++ pointer.
enum class Address : std::uint64_t {};

inline constexpr Address kNull{0};

[[nodiscard]] constexpr std::uint64_t to_number(Address address) { return static_cast<std::uint64_t>(address); }

// Wraps around like the target's own arithmetic would: a hostile pointer gives an address that cannot be read.
[[nodiscard]] constexpr Address operator+(Address address, std::uint64_t offset) {
  return Address{to_number(address) + offset};
}

// One stretch of the target's memory and where to put it.
struct Segment {
  Address from;
  std::span<std::byte> to;
};

enum class ReadStatus {
  ok,         // every segment was filled
  unmapped,   // some address cannot be read; segments from `filled` on are garbage
  gone,       // the process is no more
  denied,     // we lack the rights
  elsewhere,  // the thread that was to be met does not run there (see Interrupter)
};

struct ReadResult {
  ReadStatus status;
  std::size_t filled;  // how many segments, from the first on, were filled whole

  explicit operator bool() const { return status == ReadStatus::ok; }
};

class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  virtual ~Memory() = default;

  // Up to kMaxSegments segments cost one system call.
  static constexpr std::size_t kMaxSegments = 1024;

  // Fills the segments in the order given. Allocates nothing.
  [[nodiscard]] virtual ReadResult read(std::span<const Segment> segments) = 0;

  [[nodiscard]] ReadStatus read(Address from, std::span<std::byte> to) {
    const Segment segment{from, to};
    return read({&segment, 1}).status;
  }

  // One value; `value` is garbage unless the status is ok.
  template <typename T>
  [[nodiscard]] ReadStatus read_value(Address from, T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return read(from, std::as_writable_bytes(std::span{&value, 1}));
  }
};

}  // namespace flametap::target
