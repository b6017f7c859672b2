// Module: an ELF file that a process has mapped: its program, a shared library, the loader.
//
// Answers come from the file where it can be proved to be the one that is mapped (same device and inode, or the same
// build id), and otherwise from its image in memory, which knows less. The file is opened at the first question that
// needs it. Addresses are the process's. Borrows the Process and the Memory it was listed from.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "target/elf_file.h"
#include "target/elf_image.h"
#include "target/maps.h"
#include "target/memory.h"
#include "target/process.h"

namespace flametap::target {

struct AddressRange {
  Address begin{};
  std::uint64_t size = 0;
};

class Module {
 public:
  // By name; names that were not found are missing.
  using Addresses = std::map<std::string, Address, std::less<>>;

  // In the order of their addresses. Costs one read of memory for each, and opens no file.
  [[nodiscard]] static Result<std::vector<Module>> list(const Process& process, Memory& memory);

  // As the process sees it; a hint for people. "[vdso]" is a module too.
  [[nodiscard]] const std::string& path() const { return mappings_.front().path; }
  [[nodiscard]] Bias bias() const { return image_.bias(); }
  // The program that was started (which may be a loader that was given the real program as argument).
  [[nodiscard]] bool is_exe() const { return is_exe_; }
  [[nodiscard]] const std::vector<Mapping>& mappings() const { return mappings_; }
  [[nodiscard]] bool contains(Address address) const;
  // Its variables, .data and .bss, as far as they are writable.
  [[nodiscard]] const std::vector<AddressRange>& writable_ranges() const { return writable_; }

  [[nodiscard]] Addresses symbols(const std::vector<std::string_view>& names);
  // Nothing if there is no such section, or the file cannot be had.
  [[nodiscard]] std::optional<AddressRange> section(std::string_view name);
  [[nodiscard]] BuildId build_id();

  // The file, or null if it cannot be had: then symbols() knows the dynamic ones only.
  [[nodiscard]] const ElfFile* file();
  // The same, to keep for longer than the module; nothing if it cannot be had.
  [[nodiscard]] std::optional<ElfFile> take_file();
  [[nodiscard]] const ElfImage& image() const { return image_; }
  // Why file() is null.
  [[nodiscard]] std::string missing_file_reason();

 private:
  Module(const Process& process, ElfImage image, std::vector<Mapping> mappings)
      : process_(&process), image_(std::move(image)), mappings_(std::move(mappings)) {}

  // `from_here` are the mappings from the one on that shows the start of the file.
  static std::optional<Module> from_mappings(const Process& process, Memory& memory,
                                             std::span<const Mapping> from_here);
  void find_writable_ranges(std::span<const Mapping> around);

  const Process* process_;
  ElfImage image_;
  std::vector<Mapping> mappings_;  // of the file only; never empty
  std::vector<AddressRange> writable_;
  bool is_exe_ = false;
  std::optional<Result<ElfFile>> file_;  // once asked for
};

}  // namespace flametap::target
