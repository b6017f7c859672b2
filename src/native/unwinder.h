// Unwinder: finds the calls on a copied stack, from the innermost to the outermost.
//
// One serves any number of processes whose AddressSpaces share one BinaryCache. It allocates only while it meets code
// that it has not met before. Whatever the target put on its stack, it ends: the stack pointer must grow from call to
// call, and there are at most kMaxDepth. Not safe for concurrent calls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "native/address_space.h"
#include "native/frame.h"
#include "native/stack_copy.h"
#include "native/unwind_row.h"

namespace flametap::native {

class Unwinder {
 public:
  static constexpr std::size_t kMaxDepth = 4096;

  Unwinder();

  // Replaces `frames` by the calls, the innermost first; the last one is where it ended. Tells the copy how far up the
  // stack is in use.
  UnwindEnd unwind(StackCopy& copy, AddressSpace& space, std::vector<Frame>& frames);

 private:
  // What is known about a program counter: saves both searches, in the map and in the rows.
  struct Known {
    std::uint64_t pc = 0;
    std::uint64_t generation = 0;  // of the space; none has 0
    const UnwindRow* row = nullptr;
  };
  static constexpr std::size_t kKnown = 4096;
  using KnownTable = std::array<Known, kKnown>;

  // Where a call is.
  struct Spot {
    bool executable = false;
    const UnwindRow* row = nullptr;  // null: no unwind information
  };

  UnwindEnd follow(const StackCopy& copy, AddressSpace& space, std::vector<Frame>& frames);
  [[nodiscard]] Spot find(std::uint64_t pc, AddressSpace& space);
  [[nodiscard]] Step step(const UnwindRow& row, const StackView& stack, Registers& registers, Frame& frame) const;
  [[nodiscard]] Step go_without_row(const StackView& stack, AddressSpace& space, Registers& registers, Frame& frame);
  [[nodiscard]] bool is_return_address(std::uint64_t pc, AddressSpace& space);
  [[nodiscard]] Step guess(const StackView& stack, AddressSpace& space, Registers& registers, Frame& frame);

  std::unique_ptr<KnownTable> known_;
};

}  // namespace flametap::native
