#include "native/row_maker.h"

#include <elf.h>
#include <elfutils/libdw.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "native/cfi_program.h"
#include "native/elf_sections.h"

namespace flametap::native {
namespace {

struct CfiEnd {
  void operator()(Dwarf_CFI* cfi) const { dwarf_cfi_end(cfi); }
};
struct FrameFree {
  void operator()(Dwarf_Frame* frame) const { std::free(frame); }
};

// The start of the made-up file; .eh_frame follows.
struct Headers {
  Elf64_Ehdr file{};
  std::array<Elf64_Shdr, 3> sections{};
  char names[24] = "\0.eh_frame\0.shstrtab";
};
constexpr std::uint32_t kFrameName = 1;
constexpr std::uint32_t kNamesName = 11;

class Writer {
 public:
  template <typename T>
  void fixed(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(std::as_bytes(std::span(&value, 1)));
  }
  void unsigned_leb(std::uint64_t value) {
    for (; value > 0x7f; value >>= 7) fixed(static_cast<std::uint8_t>(value | 0x80));
    fixed(static_cast<std::uint8_t>(value));
  }
  void signed_leb(std::int64_t value) {
    for (; value < -0x40 || value > 0x3f; value >>= 7) fixed(static_cast<std::uint8_t>((value & 0x7f) | 0x80));
    fixed(static_cast<std::uint8_t>(value & 0x7f));
  }
  void bytes(Bytes source) {
    const auto* const first = reinterpret_cast<const char*>(source.data());
    buffer_.insert(buffer_.end(), first, first + source.size());
  }
  // Overwrites.
  template <typename T>
  void put(std::size_t at, T value) {
    std::memcpy(buffer_.data() + at, &value, sizeof value);
  }
  [[nodiscard]] std::size_t size() const { return buffer_.size(); }
  [[nodiscard]] std::vector<char>& buffer() { return buffer_; }

 private:
  std::vector<char> buffer_;
};

// Writes one entry, whose length is known only behind it.
template <typename Contents>
void write_entry(Writer& writer, const Contents& contents) {
  const std::size_t begin = writer.size();
  writer.fixed(std::uint32_t{0});
  contents();
  writer.put(begin, static_cast<std::uint32_t>(writer.size() - begin - sizeof(std::uint32_t)));
}

Headers make_headers(std::size_t frame_size) {
  Headers headers;
  std::memcpy(headers.file.e_ident, ELFMAG, SELFMAG);
  headers.file.e_ident[EI_CLASS] = ELFCLASS64;
  headers.file.e_ident[EI_DATA] = ELFDATA2LSB;
  headers.file.e_ident[EI_VERSION] = EV_CURRENT;
  headers.file.e_type = ET_DYN;
  headers.file.e_machine = EM_X86_64;
  headers.file.e_version = EV_CURRENT;
  headers.file.e_ehsize = sizeof(Elf64_Ehdr);
  headers.file.e_shentsize = sizeof(Elf64_Shdr);
  headers.file.e_shoff = offsetof(Headers, sections);
  headers.file.e_shnum = static_cast<std::uint16_t>(headers.sections.size());
  headers.file.e_shstrndx = 2;
  Elf64_Shdr& frame = headers.sections[1];
  frame.sh_name = kFrameName;
  frame.sh_type = SHT_PROGBITS;
  frame.sh_flags = SHF_ALLOC;
  frame.sh_offset = sizeof(Headers);
  frame.sh_size = frame_size;
  Elf64_Shdr& names = headers.sections[2];
  names.sh_name = kNamesName;
  names.sh_type = SHT_STRTAB;
  names.sh_offset = offsetof(Headers, names);
  names.sh_size = sizeof headers.names;
  return headers;
}

// The plainest form that there is, whatever form the function's own information has.
std::vector<char> make_file(const CfiSection::Function& function) {
  Writer writer;
  writer.fixed(Headers{});
  const std::size_t begin = writer.size();
  write_entry(writer, [&] {
    writer.fixed(std::uint32_t{0});
    writer.fixed(std::uint8_t{1});  // version
    writer.fixed(std::uint8_t{0});  // no augmentation: addresses are plain
    writer.unsigned_leb(function.common->code_alignment);
    writer.signed_leb(function.common->data_alignment);
    writer.fixed(static_cast<std::uint8_t>(kReturnAddress));
    writer.bytes(function.common->instructions);
  });
  write_entry(writer, [&] {
    writer.fixed(static_cast<std::uint32_t>(writer.size() - begin));  // back to the common part
    writer.fixed(function.begin);
    writer.fixed(function.end - function.begin);
    writer.bytes(function.instructions);
  });
  writer.put(0, make_headers(writer.size() - begin));
  return std::move(writer.buffer());
}

std::optional<UnwindRow> read_row(Dwarf_Frame* frame) {
  UnwindRow row;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_frame_cfa(frame, &operations, &count) != 0 || !row.set_cfa({operations, count})) return std::nullopt;
  for (std::size_t i = 0; i < kRegisterCount; ++i) {
    std::array<Dwarf_Op, 3> room{};
    if (dwarf_frame_register(frame, static_cast<int>(i), room.data(), &operations, &count) != 0) return std::nullopt;
    if (!row.set_rule(i, {operations, count})) return std::nullopt;
  }
  return row;
}

}  // namespace

std::optional<MadeRow> make_row(const CfiSection::Function& function, std::uint64_t address) {
  if (function.common->return_column != kReturnAddress) return std::nullopt;
  const bool harmless =
      is_harmless_cfi_program(function.common->instructions) && is_harmless_cfi_program(function.instructions);
  if (!harmless) return std::nullopt;
  std::vector<char> file = make_file(function);
  elf_version(EV_CURRENT);
  const ElfHandle elf(elf_memory(file.data(), file.size()));
  const std::unique_ptr<Dwarf_CFI, CfiEnd> cfi(elf ? dwarf_getcfi_elf(elf.get()) : nullptr);
  Dwarf_Frame* found = nullptr;
  if (!cfi || dwarf_cfi_addrframe(cfi.get(), address, &found) != 0) return std::nullopt;
  const std::unique_ptr<Dwarf_Frame, FrameFree> frame(found);
  Dwarf_Addr end = 0;
  if (dwarf_frame_info(frame.get(), nullptr, &end, nullptr) < 0) return std::nullopt;
  std::optional<UnwindRow> row = read_row(frame.get());
  if (!row) return std::nullopt;
  if (function.common->signal_frame) row->set_signal_frame();
  return MadeRow{end, std::move(*row)};
}

}  // namespace flametap::native
