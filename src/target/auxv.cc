#include "target/auxv.h"

#include <elf.h>

#include <cstddef>
#include <span>
#include <string>

#include "base/bytes.h"

namespace flametap::target {

Auxv read_auxv(const Process& process) {
  Auxv auxv;
  const Result<std::string> text = process.read_file("auxv");
  if (!text) return auxv;
  const Bytes bytes = std::as_bytes(std::span(*text));
  for (std::size_t offset = 0;; offset += sizeof(Elf64_auxv_t)) {
    const auto entry = load<Elf64_auxv_t>(bytes, offset);
    if (!entry || entry->a_type == AT_NULL) return auxv;
    const Address value{entry->a_un.a_val};
    if (entry->a_type == AT_PHDR) auxv.program_headers = value;
    if (entry->a_type == AT_ENTRY) auxv.entry = value;
    if (entry->a_type == AT_BASE) auxv.loader = value;
  }
}

}  // namespace flametap::target
