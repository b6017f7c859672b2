// Markers: the static probes (USDT) that a CPython was built with, as the notes in its ELF file describe them.
//
// Anybody may have written the file: every count and length is bounded, and a note
// that does not describe a place in its file is passed by. markers.cc reads the notes, marked_files.cc finds the files.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "target/elf_file.h"
#include "target/process.h"

namespace flametap::tracer {

// One place in the code. A marker may have several, all with the same name and semaphore.
struct Marker {
  std::string name = {};        // "function__entry"
  std::uint64_t location = 0;   // address of its instruction in the file's own address space (prelink undone)
  std::uint64_t offset = 0;     // the same as an offset in the file
  std::uint64_t semaphore = 0;  // address of its counter, which must not be 0 for the marker to run; 0: it has none
  std::uint64_t semaphore_offset = 0;  // the same as an offset in the file; 0: it has none
  std::string arguments = {};          // "8@%rbp 8@%r12 -4@%eax"
};

// A file with markers of the provider "python".
struct MarkedFile {
  std::string path;  // as its process sees it; for people
  // Under which we and the kernel can open it now, whatever its mount namespace, and if it was deleted, too. The plain
  // path where that leads to the file, else a link of a process that has it mapped.
  std::string open_path = {};
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::vector<Marker> markers = {};
  bool debug_build = false;  // of a Python that checks itself (Py_DEBUG)
};

// Those of the provider "python", by location; empty if there are none.
[[nodiscard]] Result<std::vector<Marker>> read_markers(const target::ElfFile& file);

// Fails with Failure::not_python if it has none.
[[nodiscard]] Result<MarkedFile> marked_file(const std::string& path);

// Every file with markers that a process has mapped; empty if there are none. If what runs is the dynamic loader with a
// program as its argument that it has not mapped yet, the ELF files among its arguments, too.
[[nodiscard]] Result<std::vector<MarkedFile>> marked_files_of(const target::Process& process);

// One entry for each file with markers that any process on this machine has mapped, with the processes that have it.
struct UsedFile {
  MarkedFile file;
  std::vector<pid_t> pids;
};
[[nodiscard]] std::vector<UsedFile> marked_files_everywhere();

}  // namespace flametap::tracer
