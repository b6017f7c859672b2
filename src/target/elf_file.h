// ElfFile: a program or shared library on disk, read with libelf. 64-bit x86-64 only.
//
// The file may belong to anybody and may change while it is read: it is never mapped (a truncated file would kill us
// with SIGBUS), and every count is bounded. Not safe for concurrent calls.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "target/elf_types.h"

namespace flametap::target {

class ElfFile {
 public:
  struct Section {
    LinkAddress address{};
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    bool in_file = false;  // .bss and the like have no bytes in the file
  };

  // `name` is for messages only.
  [[nodiscard]] static Result<ElfFile> open(Fd file, const std::string& name);
  [[nodiscard]] static Result<ElfFile> open(const std::string& path);

  // The same file once more, for an owner of its own.
  [[nodiscard]] Result<ElfFile> duplicate() const;

  // Linked to fixed addresses: not a shared library, and not position-independent.
  [[nodiscard]] bool has_fixed_addresses() const { return fixed_; }
  [[nodiscard]] const std::vector<LoadSegment>& segments() const { return segments_; }
  [[nodiscard]] const BuildId& build_id() const { return build_id_; }
  // For what else libelf and libdw know; never null. Lives as long as this object, wherever that is moved.
  [[nodiscard]] Elf* handle() const { return elf_.get(); }
  [[nodiscard]] const Fd& descriptor() const { return file_; }

  [[nodiscard]] std::optional<Section> section(std::string_view name) const;
  // Nothing if there is no such section, or it is longer than `limit`.
  [[nodiscard]] std::optional<std::vector<std::byte>> section_bytes(std::string_view name, std::size_t limit) const;

  // Looks all names up in one pass over the dynamic symbols, then over the full ones, which a stripped file lacks. Of
  // several local symbols with one name the first counts.
  [[nodiscard]] Symbols find_symbols(const std::vector<std::string_view>& names) const;

 private:
  struct ElfEnd {
    void operator()(Elf* elf) const { elf_end(elf); }
  };
  using Handle = std::unique_ptr<Elf, ElfEnd>;

  ElfFile(Fd file, Handle elf) : file_(std::move(file)), elf_(std::move(elf)) {}

  Result<void> read_program_headers(const Elf64_Ehdr& header);
  void read_build_id(std::uint64_t offset, std::uint64_t size);
  [[nodiscard]] Elf_Scn* find_section(std::string_view name) const;
  [[nodiscard]] Elf_Scn* find_section_of_type(std::uint32_t type) const;

  Fd file_;  // before elf_, which reads from it until its own end
  Handle elf_;
  bool fixed_ = false;
  std::vector<LoadSegment> segments_;
  BuildId build_id_;
};

}  // namespace flametap::target
