#include "cpython/line_table.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace flametap::cpython {
namespace {

constexpr std::int32_t kNoLine = -1;
// Further than any code object reaches: the stretch of the last line of an lnotab has no end.
constexpr std::int64_t kEndless = std::int64_t{std::numeric_limits<std::int32_t>::max()} + 1;

// A stretch of instructions, in bytes of code. Sums of table entries are kept in 64 bits, where they cannot overflow.
struct Range {
  std::int64_t start;
  std::int64_t end;
  std::int64_t line;  // kNoLine, or any sum of deltas
};

std::int32_t plausible(std::int64_t line) {
  return line >= 0 && line <= std::numeric_limits<std::int32_t>::max() ? static_cast<std::int32_t>(line) : kNoLine;
}

std::uint8_t unsigned_at(Bytes table, std::size_t index) { return std::to_integer<std::uint8_t>(table[index]); }
std::int8_t signed_at(Bytes table, std::size_t index) { return static_cast<std::int8_t>(table[index]); }

// 2.7 to 3.9: pairs of (code delta, line delta). The line changes behind the code that the pair steps over.
template <typename Visit>
void visit_lnotab(Bytes table, bool signed_deltas, std::int64_t line, const Visit& visit) {
  std::int64_t start = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    const std::int64_t end = start + unsigned_at(table, i);
    if (!visit(Range{start, end, line})) return;
    start = end;
    line += signed_deltas ? signed_at(table, i + 1) : unsigned_at(table, i + 1);
  }
  visit(Range{start, kEndless, line});
}

// 3.10: pairs of (length, line delta). The line holds for the code that the pair covers; -128: it has none.
template <typename Visit>
void visit_ranges(Bytes table, std::int64_t line, const Visit& visit) {
  constexpr std::int8_t kNoLineDelta = -128;
  std::int64_t start = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    const std::int64_t end = start + unsigned_at(table, i);
    const std::int8_t delta = signed_at(table, i + 1);
    if (delta != kNoLineDelta) line += delta;
    if (!visit(Range{start, end, delta == kNoLineDelta ? kNoLine : line})) return;
    start = end;
  }
}

// An entry of the table of 3.11+: a first byte with its high bit set, and bytes without it up to the next entry.
constexpr std::uint8_t kEntryBit = 0x80;

// How an entry says by how many lines it advances: a code in the first byte. Those below advance by none.
enum : std::uint8_t { kOneLine = 11, kTwoLines = 12, kNoColumns = 13, kLong = 14, kNoLocation = 15 };

// A number of six bits a byte, lowest first, its sign in the lowest bit. Nothing if it is longer than CPython makes
// any, or does not end inside the entry.
std::optional<std::int64_t> signed_varint(Bytes bytes) {
  constexpr std::size_t kMaxBytes = 6;
  std::int64_t number = 0;
  for (std::size_t i = 0; i < std::min(bytes.size(), kMaxBytes); ++i) {
    const std::uint8_t byte = unsigned_at(bytes, i);
    if ((byte & kEntryBit) != 0) return std::nullopt;
    number |= std::int64_t{byte & 0x3f} << (6 * i);
    if ((byte & 0x40) == 0) return (number & 1) != 0 ? -(number >> 1) : number >> 1;
  }
  return std::nullopt;
}

std::optional<std::int64_t> line_delta(std::uint8_t code, Bytes rest) {
  switch (code) {
    case kOneLine:
      return 1;
    case kTwoLines:
      return 2;
    case kNoColumns:
    case kLong:
      return signed_varint(rest);
    default:
      return 0;
  }
}

// 3.11+: entries of a length in code units, a line delta and columns, which are skipped.
template <typename Visit>
void visit_locations(Bytes table, std::int64_t line, const Visit& visit) {
  std::int64_t start = 0;
  std::size_t i = 0;
  while (i < table.size()) {
    const std::uint8_t first = unsigned_at(table, i);
    const std::uint8_t code = first >> 3 & 0xf;
    const std::int64_t end = start + ((first & 7) + 1) * 2;
    const auto delta = line_delta(code, table.subspan(i + 1));
    if (!delta) return;
    line += *delta;
    if (!visit(Range{start, end, code == kNoLocation ? kNoLine : line})) return;
    start = end;
    do ++i;
    while (i < table.size() && (unsigned_at(table, i) & kEntryBit) == 0);
  }
}

// Calls `visit` with adjoining ranges from the first instruction on, until it returns false.
template <typename Visit>
void visit_table(LineTableKind kind, Bytes table, std::int32_t first_line, const Visit& visit) {
  switch (kind) {
    case LineTableKind::lnotab_unsigned:
      return visit_lnotab(table, false, first_line, visit);
    case LineTableKind::lnotab_signed:
      return visit_lnotab(table, true, first_line, visit);
    case LineTableKind::ranges:
      return visit_ranges(table, first_line, visit);
    case LineTableKind::locations:
      return visit_locations(table, first_line, visit);
  }
}

std::optional<std::int32_t> present(std::int32_t line) { return line == kNoLine ? std::nullopt : std::optional(line); }

}  // namespace

std::optional<std::int32_t> line_of(LineTableKind kind, Bytes table, std::int32_t first_line,
                                    std::int32_t instruction) {
  if (instruction < 0) return present(plausible(first_line));
  std::int32_t line = kNoLine;
  visit_table(kind, table, first_line, [&](const Range& range) {
    if (instruction >= range.end) return true;
    line = plausible(range.line);
    return false;
  });
  return present(line);
}

LineMap::LineMap(LineTableKind kind, Bytes table, std::int32_t first_line) : first_line_(plausible(first_line)) {
  std::int64_t end = 0;
  visit_table(kind, table, first_line, [&](const Range& range) {
    if (range.start >= kEndless) return false;
    end = range.end;
    const std::int32_t line = plausible(range.line);
    if (range.start == range.end || (!stretches_.empty() && stretches_.back().line == line)) return true;
    stretches_.push_back({static_cast<std::int32_t>(range.start), line});
    return true;
  });
  if (end < kEndless) stretches_.push_back({static_cast<std::int32_t>(end), kNoLine});
  stretches_.shrink_to_fit();
}

std::optional<std::int32_t> LineMap::line_at(std::int32_t instruction) const {
  if (instruction < 0) return present(first_line_);
  const auto behind =
      std::upper_bound(stretches_.begin(), stretches_.end(), instruction,
                       [](std::int32_t wanted, const Stretch& stretch) { return wanted < stretch.start; });
  return behind == stretches_.begin() ? std::nullopt : present(std::prev(behind)->line);
}

}  // namespace flametap::cpython
