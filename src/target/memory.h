// Memory of another process (or a picture of one), as the rest of flametap sees it.
//
// A live target keeps running while it is read: any single read may be torn, and two segments of one call are read one
// after the other, in the order given, not at one instant. Not safe for concurrent calls: one reader, one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace flametap::target {

// A pointer in the target. Never a C++ pointer.
enum class Address : std::uint64_t {};

inline constexpr Address kNull{0};
inline constexpr std::uint64_t kPage = 4096;

[[nodiscard]] constexpr std::uint64_t to_number(Address address) { return static_cast<std::uint64_t>(address); }

// Wraps around like the target's own arithmetic would: a hostile pointer gives an address that cannot be read.
[[nodiscard]] constexpr Address operator+(Address address, std::uint64_t offset) {
  return Address{to_number(address) + offset};
}

// One stretch of the target's memory and where to put it.
struct Segment {
  Address from;
  std::span<std::byte> to;
  bool optional = false;  // if it cannot be read, it is filled with zeros
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
  std::size_t filled;       // how many segments, from the first on, were filled whole
  std::size_t missing = 0;  // how many of these were optional, and could not be read

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

 protected:
  // In parts that one call takes, and around what is optional and missing. `read_once` reads a part, and stops where it
  // must.
  template <typename ReadOnce>
  static ReadResult read_in_parts(std::span<const Segment> segments, ReadOnce read_once) {
    ReadResult whole{ReadStatus::ok, 0};
    while (whole.filled < segments.size()) {
      const ReadResult part =
          read_once(segments.subspan(whole.filled, std::min(kMaxSegments, segments.size() - whole.filled)));
      whole.filled += part.filled;
      if (part) continue;
      const bool hole = part.status == ReadStatus::unmapped && segments[whole.filled].optional;
      if (!hole) return {part.status, whole.filled, whole.missing};
      std::ranges::fill(segments[whole.filled].to, std::byte{0});
      ++whole.filled;
      ++whole.missing;
    }
    return whole;
  }
};

}  // namespace flametap::target
