#include "target/module.h"

#include <algorithm>
#include <iterator>

#include "target/auxv.h"
#include "target/mapped_file.h"

namespace flametap::target {
namespace {

// No ELF file is mapped in so many pieces, and a forged one must not keep us busy.
constexpr std::size_t kMaxMappings = 4096;

bool may_begin_module(const Mapping& mapping) {
  return mapping.readable && mapping.offset == 0 && (mapping.has_file() || mapping.path == "[vdso]");
}

}  // namespace

Result<std::vector<Module>> Module::list(const Process& process, Memory& memory) {
  const Result<Maps> maps = process.maps();
  if (!maps) return maps.error().within("cannot list what the process has loaded");
  const Address exe_headers = read_auxv(process).program_headers;
  std::vector<Module> modules;
  const std::span<const Mapping> all(maps->begin(), maps->end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!may_begin_module(all[i])) continue;
    // Where code and data share a page of the file, its start is mapped a second time inside the same module.
    if (!modules.empty() && modules.back().contains(all[i].begin)) continue;
    std::optional<Module> module = from_mappings(process, memory, all.subspan(i));
    if (!module) continue;
    module->is_exe_ = exe_headers != kNull && module->contains(exe_headers);
    modules.push_back(std::move(*module));
  }
  return modules;
}

std::optional<Module> Module::from_mappings(const Process& process, Memory& memory,
                                            std::span<const Mapping> from_here) {
  const Mapping& first = from_here.front();
  Result<ElfImage> image = ElfImage::open(memory, first.begin);
  if (!image) return std::nullopt;
  const auto is_beyond = [&](const Mapping& mapping) {
    return to_number(mapping.begin) - to_number(first.begin) >= image->span();
  };
  std::span<const Mapping> around = from_here.first(std::min(from_here.size(), kMaxMappings));
  around =
      around.first(static_cast<std::size_t>(std::find_if(around.begin(), around.end(), is_beyond) - around.begin()));
  std::vector<Mapping> mappings;
  std::copy_if(around.begin(), around.end(), std::back_inserter(mappings),
               [&](const Mapping& mapping) { return mapping.file == first.file && mapping.path == first.path; });
  // A file that is only read, as a linker or a profiler does, is not loaded.
  const bool loaded = std::any_of(mappings.begin(), mappings.end(),
                                  [](const Mapping& mapping) { return mapping.executable || mapping.writable; });
  if (!loaded) return std::nullopt;
  Module module(process, std::move(*image), std::move(mappings));
  module.find_writable_ranges(around);
  return module;
}

// What the program headers call writable, as far as it is mapped so: a part of it is read-only after relocation, and
// .bss goes on into an anonymous mapping behind the file's.
void Module::find_writable_ranges(std::span<const Mapping> around) {
  for (const LoadSegment& segment : image_.segments()) {
    if (!segment.writable) continue;
    const std::uint64_t begin = to_number(bias() + segment.address);
    const std::uint64_t end = begin + segment.memory_size;
    for (const Mapping& mapping : around) {
      const std::uint64_t from = std::max(begin, to_number(mapping.begin));
      const std::uint64_t to = std::min(end, to_number(mapping.end));
      if (mapping.readable && mapping.writable && from < to) writable_.push_back({Address{from}, to - from});
    }
  }
}

bool Module::contains(Address address) const {
  return to_number(address) - to_number(mappings_.front().begin) < image_.span();
}

const ElfFile* Module::file() {
  if (!file_) file_.emplace(open_mapped_file(*process_, mappings_.front(), image_));
  return file_->ok() ? &**file_ : nullptr;
}

std::optional<ElfFile> Module::take_file() {
  if (file() == nullptr) return std::nullopt;
  std::optional<ElfFile> taken(std::move(**file_));
  file_.reset();
  return taken;
}

std::string Module::missing_file_reason() { return file() != nullptr ? "" : file_->error().message; }

Module::Addresses Module::symbols(const std::vector<std::string_view>& names) {
  const Symbols found = file() != nullptr ? file()->find_symbols(names) : image_.find_symbols(names);
  Addresses addresses;
  for (const auto& [name, symbol] : found) addresses.emplace(name, bias() + symbol.address);
  return addresses;
}

std::optional<AddressRange> Module::section(std::string_view name) {
  if (file() == nullptr) return std::nullopt;
  const std::optional<ElfFile::Section> found = file()->section(name);
  // Sections that are not loaded, such as .symtab, have no address.
  if (!found || to_number(found->address) == 0) return std::nullopt;
  return AddressRange{bias() + found->address, found->size};
}

BuildId Module::build_id() { return image_.read_build_id(); }

}  // namespace flametap::target
