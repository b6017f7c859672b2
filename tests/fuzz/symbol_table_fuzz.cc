// Any bytes may stand where an ELF file with symbols is expected: what is found has a name and covers the address.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/fd.h"
#include "native/debug_file.h"
#include "native/symbol_table.h"
#include "native/symbols.h"
#include "target/elf_file.h"

namespace {

using namespace flametap;

void check(const native::SymbolTable& table) {
  for (std::uint64_t address = 0; address < 0x3000; address += 3) {
    const auto found = table.find(target::LinkAddress{address});
    if (found && (found->name.empty() || address - to_number(found->begin) >= found->size)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Fd file(memfd_create("fuzz", MFD_CLOEXEC));
  if (write(file.get(), data, size) != static_cast<ssize_t>(size)) std::abort();
  const Result<target::ElfFile> elf = target::ElfFile::open(std::move(file), "fuzz");
  if (!elf) return 0;
  check(native::SymbolTable::read(elf->handle(), elf->handle()));
  (void)native::find_debug_file(*elf, "/nowhere/program", {.folder = "/nowhere/debug", .process = nullptr});
  (void)native::Symbols::from_bytes(std::as_bytes(std::span(data, size))).describe(target::LinkAddress{0x1000}, true);
  return 0;
}
