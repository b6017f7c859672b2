// Any bytes may stand where an ELF's unwind information is expected, as a section or as what a program header points
// to, and the stack may hold anything: rows are found and followed in bounded time, within the copy.
#include <elf.h>
#include <libelf.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "native/unwind_table.h"

namespace {

using namespace flametap;
using namespace flametap::native;

constexpr std::uint64_t kCode = 0x1000;
constexpr std::uint64_t kTables = 0x2000;
constexpr std::size_t kAddresses = 256;
constexpr target::Address kStack{0x7000'0000};

struct ElfEnd {
  void operator()(Elf* elf) const { elf_end(elf); }
};

// One file that is nothing but its headers and the given bytes.
struct Image {
  Elf64_Ehdr header{};
  Elf64_Phdr programs[2]{};
  Elf64_Shdr sections[3]{};
  char names[32] = "\0.eh_frame\0.shstrtab";
};

std::vector<char> make_image(Bytes tables, bool with_sections) {
  Image image;
  std::memcpy(image.header.e_ident, ELFMAG, SELFMAG);
  image.header.e_ident[EI_CLASS] = ELFCLASS64;
  image.header.e_ident[EI_DATA] = ELFDATA2LSB;
  image.header.e_ident[EI_VERSION] = EV_CURRENT;
  image.header.e_type = ET_DYN;
  image.header.e_machine = EM_X86_64;
  image.header.e_version = EV_CURRENT;
  image.header.e_ehsize = sizeof(Elf64_Ehdr);
  image.header.e_phentsize = sizeof(Elf64_Phdr);
  image.header.e_shentsize = sizeof(Elf64_Shdr);
  image.header.e_phoff = offsetof(Image, programs);
  image.header.e_phnum = 2;
  image.programs[0] = {PT_LOAD, PF_R, sizeof(Image), kTables, kTables, tables.size(), tables.size(), 1};
  image.programs[1] = {PT_GNU_EH_FRAME, PF_R, sizeof(Image), kTables, kTables, tables.size(), tables.size(), 1};
  if (with_sections) {
    image.header.e_shoff = offsetof(Image, sections);
    image.header.e_shnum = 3;
    image.header.e_shstrndx = 2;
    image.sections[1] = {1, SHT_PROGBITS, SHF_ALLOC, kTables, sizeof(Image), tables.size(), 0, 0, 1, 0};
    image.sections[2] = {11, SHT_STRTAB, 0, 0, offsetof(Image, names), sizeof image.names, 0, 0, 1, 0};
  }
  std::vector<char> bytes(sizeof image + tables.size());
  std::memcpy(bytes.data(), &image, sizeof image);
  if (!tables.empty()) std::memcpy(bytes.data() + sizeof image, tables.data(), tables.size());
  return bytes;
}

// As the Unwinder does, with every row that there is.
void follow(const UnwindRow& row, const StackView& stack) {
  Registers registers;
  for (std::size_t i = 0; i < kRegisterCount; ++i) registers.set(i, to_number(kStack) + 8 * i);
  const Value cfa = row.cfa(registers, stack);
  if (cfa.status == ValueStatus::ok) (void)row.step(cfa.number, stack, registers);
  if (row.rules().size() > kRegisterCount) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 4096) return 0;
  const Bytes bytes = std::as_bytes(std::span(data, size));
  elf_version(EV_CURRENT);
  std::vector<char> image = make_image(bytes.subspan(1), (data[0] & 1) != 0);
  const std::unique_ptr<Elf, ElfEnd> elf(elf_memory(image.data(), image.size()));
  if (!elf) std::abort();
  UnwindTable table(elf.get());
  std::array<const UnwindRow*, kAddresses> rows{};
  for (std::size_t i = 0; i < kAddresses; ++i) {
    rows[i] = table.find(target::LinkAddress{kCode + i});
    if (rows[i] != nullptr) follow(*rows[i], {kStack, bytes});
  }
  if (table.lookups() > kAddresses) std::abort();
  const std::size_t lookups = table.lookups();
  for (std::size_t i = 0; i < kAddresses; ++i) {
    if (table.find(target::LinkAddress{kCode + i}) != rows[i]) std::abort();
  }
  if (table.lookups() != lookups) std::abort();
  return 0;
}
