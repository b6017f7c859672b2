#include "native/perf_map.h"

#include <charconv>
#include <iterator>

namespace flametap::native {
namespace {

constexpr std::size_t kMaxNameBytes = 256u << 20;

// Takes a number and the blank behind it off the front.
std::optional<std::uint64_t> take_number(std::string_view& line) {
  if (line.starts_with("0x")) line.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number, 16);
  const auto length = static_cast<std::size_t>(end - line.data());
  if (error != std::errc() || length == line.size() || line[length] != ' ') return std::nullopt;
  line.remove_prefix(length + 1);
  return number;
}

}  // namespace

std::size_t PerfMap::add(std::string_view text) {
  std::size_t taken = 0;
  for (std::size_t end; (end = text.find('\n', taken)) != std::string_view::npos; taken = end + 1) {
    add_line(text.substr(taken, end - taken));
  }
  return taken;
}

void PerfMap::clear() {
  ranges_.clear();
  names_.clear();
}

void PerfMap::add_line(std::string_view line) {
  const auto begin = take_number(line);
  const auto size = begin ? take_number(line) : std::nullopt;
  if (!size || *size == 0 || *begin + *size < *begin || line.empty() || line.size() > kMaxPerfMapName) return;
  // Two more than now is the worst: what it lies in is cut in two.
  if (ranges_.size() + 2 > kMaxPerfMapRanges || names_.size() + line.size() > kMaxNameBytes) return;
  make_room(*begin, *begin + *size);
  ranges_[*begin] = {.end = *begin + *size,
                     .name = static_cast<std::uint32_t>(names_.size()),
                     .name_length = static_cast<std::uint32_t>(line.size())};
  names_.append(line);
}

void PerfMap::make_room(std::uint64_t begin, std::uint64_t end) {
  auto at = ranges_.lower_bound(begin);
  if (at != ranges_.begin()) {
    Range& before = std::prev(at)->second;
    if (before.end > end) ranges_.emplace_hint(at, end, before);
    if (before.end > begin) before.end = begin;
  }
  at = ranges_.lower_bound(begin);
  while (at != ranges_.end() && at->first < end) {
    if (at->second.end > end) ranges_.emplace_hint(std::next(at), end, at->second);
    at = ranges_.erase(at);
  }
}

std::optional<std::string_view> PerfMap::find(target::Address address) const {
  const auto after = ranges_.upper_bound(to_number(address));
  if (after == ranges_.begin()) return std::nullopt;
  const Range& range = std::prev(after)->second;
  if (to_number(address) >= range.end) return std::nullopt;
  return std::string_view(names_).substr(range.name, range.name_length);
}

}  // namespace flametap::native
