#include "native/source_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "native/dwarf_image.h"
#include "native/dwarf_unit.h"
#include "native/elf_sections.h"
#include "native/range_table.h"

namespace flametap::native {
namespace {

constexpr std::size_t kMaxUnits = 1u << 20;
constexpr std::size_t kMaxPath = 4096;
// For the whole file, and for one question.
constexpr DwarfBudget kFileBudget{.entries = 256u << 20, .ranges = 32u << 20};
constexpr DwarfBudget kQuestionBudget{.entries = 1u << 20, .ranges = 1u << 20};

struct Place {
  std::string file;
  std::int32_t line = 0;
};

}  // namespace

class SourceLines::Reader {
 public:
  Reader(target::ElfFile file, std::optional<OpenElf> shared)
      : file_(std::move(file)), shared_file_(std::move(shared)) {}

  std::vector<SourceFrame> find(std::uint64_t address) {
    if (file_) open();
    const RangeTable::Range* const range = unit_ranges_.find(address);
    if (range == nullptr) return {};
    Unit& unit = units_[range->value];
    Dwarf_Die die{};
    if (dwarf_offdie(dwarf_.get(), unit.offset, &die) == nullptr) return {};
    if (!unit.functions) unit.functions = find_functions(die, budget_);
    return describe(die, *unit.functions, address);
  }

 private:
  struct DwarfEnd {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
  };
  struct Unit {
    Dwarf_Off offset = 0;
    std::optional<UnitFunctions> functions;  // once asked for
  };

  void open() {
    image_ = DwarfImage::copy(file_->handle());
    file_.reset();
    if (!image_) return;
    dwarf_.reset(dwarf_begin_elf(image_->elf(), DWARF_C_READ, nullptr));
    if (dwarf_ == nullptr) return;
    if (shared_file_ && !share()) return;
    find_units();
  }

  bool share() {
    shared_image_ = DwarfImage::copy(shared_file_->elf.get());
    shared_file_.reset();
    if (!shared_image_) return false;
    shared_dwarf_.reset(dwarf_begin_elf(shared_image_->elf(), DWARF_C_READ, nullptr));
    if (shared_dwarf_ == nullptr) return false;
    dwarf_setalt(dwarf_.get(), shared_dwarf_.get());
    return true;
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

  std::vector<SourceFrame> describe(Dwarf_Die& unit, const UnitFunctions& functions, std::uint64_t address) {
    std::vector<SourceFrame> frames;
    Place place = place_at(unit, address);
    const RangeTable::Range* const range = functions.code.find(address);
    Dwarf_Die function{};
    if (range == nullptr || dwarf_offdie(dwarf_.get(), range->value, &function) == nullptr) {
      // The last line of a function may seem to go on behind its end: libdw sorts the end of a sequence of lines before
      // a line at the same address. So lines without functions count only where no function is known, as in assembly.
      if (place.line > 0 && functions.code.size() == 0)
        frames.push_back({.raw_name = "", .file = std::move(place.file), .line = place.line});
      return frames;
    }
    DwarfBudget budget = kQuestionBudget;
    std::vector<Dwarf_Die> inlined = find_inlined(function, address, budget);
    for (std::size_t i = inlined.size(); i-- > 0;) {
      Place call = place_of_call(inlined[i]);
      frames.push_back(to_frame(inlined[i], std::exchange(place, std::move(call))));
      frames.back().raw_name = raw_name(inlined[i], functions);
      frames.back().inlined = true;
    }
    frames.push_back(to_frame(function, std::move(place)));
    frames.back().raw_name = raw_name(function, functions);
    return frames;
  }

  // Code that the compiler added has no line; its file is then the one of the function.
  [[nodiscard]] static SourceFrame to_frame(Dwarf_Die& function, Place place) {
    SourceFrame frame;
    frame.file = place.line > 0 ? std::move(place.file) : file_in(function, DW_AT_decl_file);
    frame.line = place.line;
    frame.first_line = line_number(function, DW_AT_decl_line);
    return frame;
  }

  [[nodiscard]] static Place place_at(Dwarf_Die& unit, std::uint64_t address) {
    Dwarf_Line* const line = dwarf_getsrc_die(&unit, address);
    int number = 0;
    if (line == nullptr || dwarf_lineno(line, &number) != 0 || number <= 0) return {};
    return {to_path(unit, dwarf_linesrc(line, nullptr, nullptr)), number};
  }

  [[nodiscard]] static Place place_of_call(Dwarf_Die& call) {
    return {file_in(call, DW_AT_call_file), line_number(call, DW_AT_call_line)};
  }

  // The file whose number an attribute has, in the table of the unit in which that attribute stands.
  [[nodiscard]] static std::string file_in(Dwarf_Die& die, unsigned attribute) {
    Dwarf_Attribute found{};
    Dwarf_Word file = 0;
    if (dwarf_attr_integrate(&die, attribute, &found) == nullptr || dwarf_formudata(&found, &file) != 0) return {};
    Dwarf_Die unit{};
    Dwarf_Half version = 0;
    if (dwarf_cu_die(found.cu, &unit, &version, nullptr, nullptr, nullptr, nullptr, nullptr) == nullptr) return {};
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    const bool is_none = file == 0 && version < 5;
    if (is_none || dwarf_getsrcfiles(&unit, &files, &count) != 0 || file >= count) return {};
    return to_path(unit, dwarf_filesrc(files, file, nullptr, nullptr));
  }

  // From the folder in which the compiler ran, and without the "..", which most builds leave in their paths.
  [[nodiscard]] static std::string to_path(Dwarf_Die& unit, const char* path) {
    const std::string_view own = path != nullptr ? path : "";
    if (own.empty() || own.size() > kMaxPath) return {};
    const std::string_view folder = text(unit, DW_AT_comp_dir);
    // libdw puts that folder in front of some paths itself, and builds that hide where they ran have a relative one.
    const bool is_there = own.starts_with(std::string(folder) + "/");
    return (std::filesystem::path(is_there ? "" : folder) / own).lexically_normal().string();
  }

  std::optional<target::ElfFile> file_;  // until the first question
  std::optional<OpenElf> shared_file_;
  std::optional<DwarfImage> shared_image_;
  std::unique_ptr<Dwarf, DwarfEnd> shared_dwarf_;  // before dwarf_, which refers to it
  std::optional<DwarfImage> image_;                // before dwarf_, which reads from it
  std::unique_ptr<Dwarf, DwarfEnd> dwarf_;
  DwarfBudget budget_ = kFileBudget;
  std::vector<Unit> units_;
  RangeTable unit_ranges_;  // each with the index of its unit
};

SourceLines::SourceLines(target::ElfFile file, std::optional<OpenElf> shared)
    : reader_(std::make_unique<Reader>(std::move(file), std::move(shared))) {}
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
