// FakeMemory: a target's memory made by a test. It records every call, so that tests can count reads, and a hook can
// change it between two segments of one call, as a running target would.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "target/memory.h"

namespace flametap::target {

class FakeMemory : public Memory {
 public:
  struct Stretch {
    Address from;
    std::size_t size;
    bool operator==(const Stretch&) const = default;
  };
  // One system call that a live target's memory would have needed.
  struct Call {
    std::vector<Stretch> segments;
    ReadResult result;
  };
  // Called before a segment is read, with the number of segments read before it since reset_counts(). May change this
  // memory in any way.
  using Hook = std::function<void(const Stretch& segment, std::size_t segments_before)>;

  // Makes memory readable: zeros, or the given bytes. What was mapped there before is replaced. Two ranges that touch
  // can be read across.
  void map(Address from, std::size_t size);
  void map(Address from, Bytes content);
  // Makes [from, from + size) unreadable.
  void unmap(Address from, std::size_t size);

  // Overwrites mapped memory; false, and nothing changed, if part of it is not mapped.
  bool write(Address to, Bytes content);
  template <typename T>
  bool put(Address to, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return write(to, std::as_bytes(std::span{&value, 1}));
  }

  void set_hook(Hook before_segment) { hook_ = std::move(before_segment); }
  // From now on every read ends with this status: `gone` and `denied` have no bytes, `ok` is as usual.
  void set_status(ReadStatus status) { status_ = status; }

  using Memory::read;
  [[nodiscard]] ReadResult read(std::span<const Segment> segments) override;

  [[nodiscard]] const std::vector<Call>& calls() const { return calls_; }
  [[nodiscard]] std::size_t segments_read() const { return segments_read_; }
  void reset_counts();

 private:
  // The longest part of [from, from + size) that lies in one range from `from` on; empty if `from` is not mapped.
  [[nodiscard]] std::span<std::byte> at(Address from, std::size_t size);
  [[nodiscard]] bool is_mapped(Address from, std::size_t size);
  [[nodiscard]] bool copy(Address from, std::span<std::byte> to);
  [[nodiscard]] ReadResult read_once(std::span<const Segment> segments);

  std::map<Address, std::vector<std::byte>> ranges_;  // by their first address; they never overlap
  Hook hook_;
  ReadStatus status_ = ReadStatus::ok;
  std::vector<Call> calls_;
  std::size_t segments_read_ = 0;
};

}  // namespace flametap::target
