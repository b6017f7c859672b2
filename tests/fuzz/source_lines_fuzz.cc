// Any DWARF, in bounded time: the innermost inlined function comes first, the function itself last.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "base/fd.h"
#include "native/source_lines.h"
#include "target/elf_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flametap;
  Fd file(memfd_create("fuzz", MFD_CLOEXEC));
  if (write(file.get(), data, size) != static_cast<ssize_t>(size)) std::abort();
  Result<target::ElfFile> elf = target::ElfFile::open(std::move(file), "fuzz");
  if (!elf || !native::SourceLines::has_any(elf->handle())) return 0;
  native::SourceLines lines(std::move(*elf));
  for (std::uint64_t address = 0; address < 0x1000; address += 5) {
    const auto frames = lines.find(target::LinkAddress{address});
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (frames[i].inlined != (i + 1 < frames.size()) || frames[i].line < 0) std::abort();
    }
  }
  return 0;
}
