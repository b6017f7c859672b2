#include "native/unwind_table.h"

#include <algorithm>
#include <utility>

#include "native/row_maker.h"

namespace flametap::native {

const UnwindRow* UnwindTable::find(target::LinkAddress link_address) {
  const std::uint64_t address = to_number(link_address);
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                      [](std::uint64_t wanted, const Range& range) { return wanted < range.begin; });
  if (after != ranges_.begin() && address < std::prev(after)->end) return std::prev(after)->row;
  if (ranges_.size() >= kMaxRanges) return nullptr;
  return keep(static_cast<std::size_t>(after - ranges_.begin()), look_up(address));
}

const UnwindRow* UnwindTable::keep(std::size_t place, Answer answer) {
  if (place > 0) answer.begin = std::max(answer.begin, ranges_[place - 1].end);
  if (place < ranges_.size() && answer.end > ranges_[place].begin) {
    Range& next = ranges_[place];
    const bool same = answer.row ? next.row != nullptr && *answer.row == *next.row : next.row == nullptr;
    if (same) {
      next.begin = answer.begin;
      return next.row;
    }
    // Information that contradicts itself: what was there first stays.
    answer.end = next.begin;
  }
  Range range{answer.begin, answer.end, nullptr};
  if (answer.row) range.row = &rows_.emplace_back(std::move(*answer.row));
  ranges_.insert(ranges_.begin() + static_cast<std::ptrdiff_t>(place), range);
  return range.row;
}

UnwindTable::Answer UnwindTable::look_up(std::uint64_t address) {
  ++lookups_;
  if (!eh_frame_) eh_frame_.emplace(CfiSection::eh_frame(elf_));
  Answer answer = look_up(*eh_frame_, address);
  if (answer.row) return answer;
  if (!debug_frame_) debug_frame_.emplace(CfiSection::debug_frame(elf_));
  Answer second = look_up(*debug_frame_, address);
  if (second.row) return second;
  // Neither knows anything where both do not.
  return {std::max(answer.begin, second.begin), std::min(answer.end, second.end)};
}

UnwindTable::Answer UnwindTable::look_up(const CfiSection& section, std::uint64_t address) {
  const CfiSection::Found found = section.find(address);
  if (!found.function) return {found.begin, found.end};
  std::optional<MadeRow> made = make_row(*found.function, address);
  // A row that makes no sense says nothing about the others of its function.
  if (!made) return {address, address + 1};
  return {address, std::max(made->end, address + 1), std::move(made->row)};
}

}  // namespace flametap::native
