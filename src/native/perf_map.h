// PerfMap: the names of code that a compiler made while the program ran, from the lines "START SIZE NAME" (numbers in
// hexadecimal) that such compilers write for perf.
//
// Code is freed and its addresses are used again, so a later line counts over the earlier ones that it overlaps. Lines
// that make no sense are left out. Pure: reading the file is PerfMapFile's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "target/memory.h"

namespace flametap::native {

// What is more or longer is left out.
inline constexpr std::size_t kMaxPerfMapRanges = 2u << 20;
inline constexpr std::size_t kMaxPerfMapName = 8192;

class PerfMap {
 public:
  // Takes the whole lines of `text` and says how many characters they are: the rest has no end yet.
  std::size_t add(std::string_view text);
  void clear();

  // Lives until the next change.
  [[nodiscard]] std::optional<std::string_view> find(target::Address address) const;
  // Of the stretches of code with one name each.
  [[nodiscard]] std::size_t size() const { return ranges_.size(); }

 private:
  struct Range {
    std::uint64_t end = 0;
    std::uint32_t name = 0;  // in names_
    std::uint32_t name_length = 0;
  };

  void add_line(std::string_view line);
  void make_room(std::uint64_t begin, std::uint64_t end);

  std::map<std::uint64_t, Range> ranges_;  // by begin; never overlapping
  std::string names_;
};

}  // namespace flametap::native
