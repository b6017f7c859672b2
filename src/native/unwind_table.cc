#include "native/unwind_table.h"

#include <gelf.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>

namespace flametap::native {
namespace {

constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();

struct FrameFree {
  void operator()(Dwarf_Frame* frame) const { std::free(frame); }
};

// How large the named sections are together; nothing if there is none.
std::optional<std::uint64_t> total_size(Elf* elf, std::string_view prefix) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return std::nullopt;
  std::optional<std::uint64_t> total;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr header{};
    if (gelf_getshdr(section, &header) == nullptr) return std::nullopt;
    const char* const name = elf_strptr(elf, names, header.sh_name);
    if (name == nullptr || !std::string_view(name).starts_with(prefix) || header.sh_type == SHT_NOBITS) continue;
    total = total.value_or(0) + std::min(header.sh_size, UnwindTable::kMaxSectionBytes + 1);
  }
  return total;
}

// What libdw says about one address, as a row; nothing if that cannot be understood.
std::optional<UnwindRow> make_row(Dwarf_Frame* frame, bool signal_frame) {
  UnwindRow row;
  if (signal_frame) row.set_signal_frame();
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_frame_cfa(frame, &operations, &count) != 0 || !row.set_cfa({operations, count})) return std::nullopt;
  for (std::size_t i = 0; i < kRegisterCount; ++i) {
    std::array<Dwarf_Op, 3> room{};
    if (dwarf_frame_register(frame, static_cast<int>(i), room.data(), &operations, &count) != 0) return std::nullopt;
    if (!row.set_rule(i, {operations, count})) return std::nullopt;
  }
  return row;
}

}  // namespace

const UnwindRow* UnwindTable::find(target::LinkAddress link_address) {
  const std::uint64_t address = to_number(link_address);
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                      [](std::uint64_t wanted, const Range& range) { return wanted < range.begin; });
  if (after != ranges_.begin() && address < std::prev(after)->end) return std::prev(after)->row;
  if (ranges_.size() >= kMaxRanges) return nullptr;
  return insert(static_cast<std::size_t>(after - ranges_.begin()), address, look_up(address));
}

const UnwindRow* UnwindTable::insert(std::size_t place, std::uint64_t address, Range range) {
  // Information that contradicts itself may give ranges that overlap, or that lie elsewhere.
  if (address < range.begin || address >= range.end) range = {address, address + 1, range.row};
  if (place > 0) range.begin = std::max(range.begin, ranges_[place - 1].end);
  if (place < ranges_.size()) range.end = std::min(range.end, ranges_[place].begin);
  ranges_.insert(ranges_.begin() + static_cast<std::ptrdiff_t>(place), range);
  return range.row;
}

UnwindTable::Range UnwindTable::look_up(std::uint64_t address) {
  ++lookups_;
  open_eh_frame();
  Range range = look_up(eh_frame_.get(), address);
  if (range.row != nullptr) return range;
  open_debug_frame();
  range = look_up(debug_frame_, address);
  if (range.row == nullptr && !eh_frame_ && debug_frame_ == nullptr) return {0, kEverything, nullptr};
  return range;
}

UnwindTable::Range UnwindTable::look_up(Dwarf_CFI* cfi, std::uint64_t address) {
  // libdw does not tell how far its ignorance reaches.
  const Range unknown{address, address + 1, nullptr};
  if (cfi == nullptr) return unknown;
  Dwarf_Frame* found = nullptr;
  if (dwarf_cfi_addrframe(cfi, address, &found) != 0) return unknown;
  const std::unique_ptr<Dwarf_Frame, FrameFree> frame(found);
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  bool signal_frame = false;
  if (dwarf_frame_info(frame.get(), &begin, &end, &signal_frame) != static_cast<int>(kReturnAddress)) return unknown;
  std::optional<UnwindRow> row = make_row(frame.get(), signal_frame);
  if (!row) return {begin, end, nullptr};
  rows_.push_back(std::move(*row));
  return {begin, end, &rows_.back()};
}

void UnwindTable::open_eh_frame() {
  if (eh_frame_opened_) return;
  eh_frame_opened_ = true;
  if (total_size(elf_, ".eh_frame").value_or(0) <= kMaxSectionBytes) eh_frame_.reset(dwarf_getcfi_elf(elf_));
}

void UnwindTable::open_debug_frame() {
  if (debug_frame_opened_) return;
  debug_frame_opened_ = true;
  // libdw reads all debug information, in order to give this part of it.
  if (!total_size(elf_, ".debug_frame") || total_size(elf_, ".debug_").value_or(0) > kMaxSectionBytes) return;
  dwarf_.reset(dwarf_begin_elf(elf_, DWARF_C_READ, nullptr));
  if (dwarf_) debug_frame_ = dwarf_getcfi(dwarf_.get());
}

}  // namespace flametap::native
