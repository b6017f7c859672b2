// Trail: a list of objects in a target, each of which points to the next one and to an object of another kind, which
// points to texts. Whoever stops the target for an instant may follow it, and have of that instant what nobody knew
// before.
//
// Offsets are in bytes, multiples of eight; those of the marks, of four.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "target/memory.h"

namespace flametap::target {

struct Trail {
  Address link;  // where the pointer to the first one is
  // If that points to something else: where in it that pointer is, and behind that one to what is around it.
  std::optional<std::uint32_t> link_inside;
  std::optional<Address> home = {};  // where the pointer to what they lie in is; of that, the beginning is read
  std::uint32_t next;
  std::uint32_t code;
  std::uint64_t code_mask;
  // In what `code` points to: a table of so many bytes as it says itself, and other texts.
  std::uint32_t table;
  std::uint32_t table_length;  // in the table
  std::uint32_t table_data;
  std::array<std::uint32_t, 3> texts{};
  std::uint32_t text_count = 0;
  // Where in a code its marks are, by which it is told from another one that took its place.
  static constexpr std::size_t kMostMarks = 3;
  std::array<std::uint32_t, kMostMarks> marks{};
  std::uint32_t mark_count = 0;
  // The texts of these codes are not needed, if they still have those marks.
  struct Known {
    Address code;
    std::array<std::uint32_t, kMostMarks> marks;
  };
  std::span<const Known> known = {};

  static constexpr std::size_t kMostSteps = 256;
  std::size_t steps = kMostSteps;  // how far to follow it; 0: only to where the first pointer is

  // At most so much of each object is read, and all of its offsets are in it.
  static constexpr std::uint64_t kObjectSize = 256;
  static constexpr std::uint64_t kTextSize = 1024;
  static constexpr std::uint64_t kTableSize = 12288;  // at the most, with its head
  static constexpr std::uint64_t kHomeSize = 64;
};

}  // namespace flametap::target
