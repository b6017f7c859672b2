#include "native/source_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <optional>
#include <string_view>
#include <utility>

#include "native/dwarf_unit.h"
#include "native/elf_sections.h"
#include "native/range_table.h"

namespace flametap::native {
namespace {

// The largest programs have a gigabyte of DWARF; offsets of 32 bits reach over twice that.
constexpr std::uint64_t kMaxDwarfBytes = std::uint64_t{2} << 30;
constexpr std::size_t kMaxUnits = 1u << 20;
constexpr std::size_t kMaxPath = 4096;
// For the whole file, and for one question.
constexpr DwarfBudget kFileBudget{.entries = 256u << 20, .ranges = 32u << 20};
constexpr DwarfBudget kQuestionBudget{.entries = 1u << 20, .ranges = 1u << 20};

bool is_dwarf(const ElfSections::Section& section) {
  return section.name.starts_with(".debug_") || section.name.starts_with(".zdebug_");
}

// What libdw will hold in memory; compressed sections count as what they become.
std::uint64_t dwarf_bytes(const ElfSections& sections) {
  std::uint64_t total = 0;
  for (const ElfSections::Section& section : sections.all()) {
    if (!is_dwarf(section) || section.header.sh_type == SHT_NOBITS) continue;
    GElf_Chdr compressed{};
    const bool is_compressed = gelf_getchdr(section.handle, &compressed) != nullptr;
    const std::uint64_t size = is_compressed ? compressed.ch_size : section.header.sh_size;
    if (size > kMaxDwarfBytes) return size;
    total += size;
  }
  return total;
}

struct DwarfEnd {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};

struct Place {
  std::string file;
  std::int32_t line = 0;
};

std::string to_path(const char* path) {
  const std::string_view text = path != nullptr ? path : "";
  return text.size() <= kMaxPath ? std::string(text) : std::string();
}

Place place_at(Dwarf_Die& unit, std::uint64_t address) {
  Dwarf_Line* const line = dwarf_getsrc_die(&unit, address);
  int number = 0;
  if (line == nullptr || dwarf_lineno(line, &number) != 0 || number <= 0) return {};
  return {to_path(dwarf_linesrc(line, nullptr, nullptr)), number};
}

Place place_of_call(Dwarf_Die& unit, Dwarf_Die& call) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  const auto file = number(call, DW_AT_call_file);
  if (!file || dwarf_getsrcfiles(&unit, &files, &count) != 0 || *file >= count) return {};
  return {to_path(dwarf_filesrc(files, *file, nullptr, nullptr)), line_number(call, DW_AT_call_line)};
}

SourceFrame to_frame(Dwarf_Die& function, Place place, bool inlined) {
  return {.raw_name = raw_name(function),
          .file = std::move(place.file),
          .line = place.line,
          .first_line = line_number(function, DW_AT_decl_line),
          .inlined = inlined};
}

}  // namespace

class SourceLines::Reader {
 public:
  explicit Reader(Elf* elf) : elf_(elf) {}

  std::vector<SourceFrame> find(std::uint64_t address) {
    if (!std::exchange(is_open_, true)) open();
    const RangeTable::Range* const range = unit_ranges_.find(address);
    if (range == nullptr) return {};
    Unit& unit = units_[range->value];
    Dwarf_Die die{};
    if (dwarf_offdie(dwarf_.get(), unit.offset, &die) == nullptr) return {};
    if (!unit.functions) unit.functions = find_functions(die, budget_);
    return describe(die, *unit.functions, address);
  }

 private:
  struct Unit {
    Dwarf_Off offset = 0;
    std::optional<RangeTable> functions;  // once asked for
  };

  void open() {
    const ElfSections sections(elf_);
    // libdw would open whatever file the link names, by itself and without care.
    if (sections.find(".gnu_debugaltlink") != nullptr || dwarf_bytes(sections) > kMaxDwarfBytes) return;
    dwarf_.reset(dwarf_begin_elf(elf_, DWARF_C_READ, nullptr));
    if (dwarf_ != nullptr) find_units();
  }

  // Not by .debug_aranges, which clang does not write.
  void find_units() {
    std::vector<RangeTable::Range> ranges;
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die{};
    std::uint8_t kind = 0;
    while (units_.size() < kMaxUnits &&
           dwarf_get_units(dwarf_.get(), unit, &unit, nullptr, &kind, &die, nullptr) == 0) {
      // The rest of a skeleton is in a file of its own, which libdw would look for.
      if (kind != DW_UT_compile || dwarf_tag(&die) != DW_TAG_compile_unit) continue;
      add_ranges(die, static_cast<std::uint32_t>(units_.size()), budget_, ranges);
      units_.push_back({dwarf_dieoffset(&die), std::nullopt});
    }
    unit_ranges_ = RangeTable(std::move(ranges));
  }

  std::vector<SourceFrame> describe(Dwarf_Die& unit, const RangeTable& functions, std::uint64_t address) {
    std::vector<SourceFrame> frames;
    Place place = place_at(unit, address);
    const RangeTable::Range* const range = functions.find(address);
    Dwarf_Die function{};
    if (range == nullptr || dwarf_offdie(dwarf_.get(), range->value, &function) == nullptr) {
      if (place.line > 0) frames.push_back({.raw_name = "", .file = std::move(place.file), .line = place.line});
      return frames;
    }
    DwarfBudget budget = kQuestionBudget;
    std::vector<Dwarf_Die> inlined = find_inlined(function, address, budget);
    for (std::size_t i = inlined.size(); i-- > 0;) {
      Place call = place_of_call(unit, inlined[i]);
      frames.push_back(to_frame(inlined[i], std::exchange(place, std::move(call)), true));
    }
    frames.push_back(to_frame(function, std::move(place), false));
    return frames;
  }

  Elf* elf_;
  bool is_open_ = false;
  std::unique_ptr<Dwarf, DwarfEnd> dwarf_;
  DwarfBudget budget_ = kFileBudget;
  std::vector<Unit> units_;
  RangeTable unit_ranges_;  // each with the index of its unit
};

SourceLines::SourceLines(Elf* elf) : reader_(std::make_unique<Reader>(elf)) {}
SourceLines::SourceLines(SourceLines&&) noexcept = default;
SourceLines& SourceLines::operator=(SourceLines&&) noexcept = default;
SourceLines::~SourceLines() = default;

bool SourceLines::has_any(Elf* elf) {
  const ElfSections sections(elf);
  for (const char* const name : {".debug_info", ".zdebug_info"}) {
    const ElfSections::Section* const section = sections.find(name);
    if (section != nullptr && section->header.sh_type != SHT_NOBITS && section->header.sh_size > 0) return true;
  }
  return false;
}

std::vector<SourceFrame> SourceLines::find(target::LinkAddress address) { return reader_->find(to_number(address)); }

}  // namespace flametap::native
