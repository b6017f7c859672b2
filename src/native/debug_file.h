// Finding the separate debug file of a stripped program or library.
//
// By its build id (FOLDER/.build-id/ab/cdef.debug), and by the name in its .gnu_debuglink (beside it, in .debug/ beside
// it, and below FOLDER). Only a file with the same build id is taken, or, where one of the two has none, one whose
// checksum the link names: a file that was replaced is never used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "native/elf_sections.h"
#include "target/elf_file.h"
#include "target/process.h"

namespace flametap::native {

struct DebugSearch {
  std::string folder = "/usr/lib/debug";
  // Its own root is searched after ours: a container may bring its debug files along. Null: ours only.
  const target::Process* process = nullptr;
};

// What .gnu_debuglink says: the file's name, never a path, and the checksum of all its bytes.
struct DebugLink {
  std::string name;
  std::uint32_t checksum = 0;

  bool operator==(const DebugLink&) const = default;
};

[[nodiscard]] std::optional<DebugLink> parse_debug_link(Bytes section);

// `path` is where the program or library stands, for the link.
[[nodiscard]] std::optional<target::ElfFile> find_debug_file(const target::ElfFile& file, const std::string& path,
                                                             const DebugSearch& search);

// Some debug files share a part of their DWARF, which dwz has put into a common file.
[[nodiscard]] bool needs_shared_dwarf(Elf* elf);
// That file, by the build id that .gnu_debugaltlink names; its path there is only where to look.
[[nodiscard]] std::optional<OpenElf> find_shared_dwarf(Elf* elf, const DebugSearch& search);

}  // namespace flametap::native
