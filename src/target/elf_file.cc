#include "target/elf_file.h"

#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <unordered_set>

namespace flametap::target {
namespace {

// The largest programs have a few million symbols.
constexpr std::size_t kMaxSymbols = 32u << 20;

Bytes read_at(const Fd& file, std::uint64_t offset, std::span<std::byte> buffer) {
  const ssize_t length = ::pread(file.get(), buffer.data(), buffer.size(), static_cast<off_t>(offset));
  return Bytes(buffer).first(length > 0 ? static_cast<std::size_t>(length) : 0);
}

// Moves the wanted names that stand in one symbol table into `found`.
void take_symbols(Elf* elf, Elf_Scn* table, std::unordered_set<std::string_view>& wanted, Symbols& found) {
  GElf_Shdr header{};
  if (table == nullptr || gelf_getshdr(table, &header) == nullptr) return;
  Elf_Data* const data = elf_getdata(table, nullptr);
  if (data == nullptr) return;
  const std::size_t count = std::min(data->d_size / sizeof(Elf64_Sym), kMaxSymbols);
  for (std::size_t i = 0; i < count && !wanted.empty(); ++i) {
    GElf_Sym symbol{};
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) return;
    if (!is_definition(symbol)) continue;
    const char* const name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name == nullptr) continue;
    const auto place = wanted.find(name);
    if (place == wanted.end()) continue;
    found.emplace(*place, Symbol{LinkAddress{symbol.st_value}, symbol.st_size});
    wanted.erase(place);
  }
}

}  // namespace

Result<ElfFile> ElfFile::open(const std::string& path) {
  // O_NONBLOCK: a path that leads to a pipe or a terminal must not hold us up.
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return errno_error("open " + path, errno);
  return open(std::move(file), path);
}

Result<ElfFile> ElfFile::open(Fd file, const std::string& name) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return errno_error("stat " + name, errno);
  if (!S_ISREG(status.st_mode)) return Error{Failure::failed, name + " is not a regular file", ""};
  std::array<std::byte, sizeof(Elf64_Ehdr)> bytes{};
  const Result<Elf64_Ehdr> header = parse_elf_header(read_at(file, 0, bytes));
  if (!header) return header.error().within(name);

  elf_version(EV_CURRENT);
  Handle elf(elf_begin(file.get(), ELF_C_READ, nullptr));
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF) {
    return Error{Failure::failed, name + " cannot be read as an ELF file: " + elf_errmsg(-1), ""};
  }
  ElfFile result(std::move(file), std::move(elf));
  result.fixed_ = header->e_type == ET_EXEC;
  const Result<void> headers = result.read_program_headers(*header);
  if (!headers) return headers.error().within(name);
  return result;
}

Result<ElfFile> ElfFile::duplicate() const {
  Fd copy(::fcntl(file_.get(), F_DUPFD_CLOEXEC, 0));
  if (!copy) return errno_error("duplicate an open file", errno);
  return open(std::move(copy), "an open file");
}

Result<void> ElfFile::read_program_headers(const Elf64_Ehdr& header) {
  for (int i = 0; i < header.e_phnum; ++i) {
    GElf_Phdr program{};
    if (gelf_getphdr(elf_.get(), i, &program) == nullptr) {
      return Error{Failure::failed, std::string("damaged program headers: ") + elf_errmsg(-1), ""};
    }
    if (program.p_type == PT_LOAD) segments_.push_back(to_load_segment(program));
    if (program.p_type == PT_NOTE && build_id_.empty()) read_build_id(program.p_offset, program.p_filesz);
  }
  if (segments_.empty()) return Error{Failure::failed, "nothing in it is ever loaded", ""};
  return {};
}

void ElfFile::read_build_id(std::uint64_t offset, std::uint64_t size) {
  if (size > kMaxNoteBytes) return;
  std::vector<std::byte> buffer(size);
  build_id_ = find_build_id(read_at(file_, offset, buffer));
}

Elf_Scn* ElfFile::find_section(std::string_view name) const {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf_.get(), &names) != 0) return nullptr;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf_.get(), section)) != nullptr) {
    GElf_Shdr header{};
    if (gelf_getshdr(section, &header) == nullptr) return nullptr;
    const char* const own = elf_strptr(elf_.get(), names, header.sh_name);
    if (own != nullptr && name == own) return section;
  }
  return nullptr;
}

Elf_Scn* ElfFile::find_section_of_type(std::uint32_t type) const {
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf_.get(), section)) != nullptr) {
    GElf_Shdr header{};
    if (gelf_getshdr(section, &header) == nullptr) return nullptr;
    if (header.sh_type == type) return section;
  }
  return nullptr;
}

std::optional<ElfFile::Section> ElfFile::section(std::string_view name) const {
  Elf_Scn* const found = find_section(name);
  GElf_Shdr header{};
  if (found == nullptr || gelf_getshdr(found, &header) == nullptr) return std::nullopt;
  return Section{.address = LinkAddress{header.sh_addr},
                 .offset = header.sh_offset,
                 .size = header.sh_size,
                 .in_file = header.sh_type != SHT_NOBITS};
}

std::optional<std::vector<std::byte>> ElfFile::section_bytes(std::string_view name, std::size_t limit) const {
  const std::optional<Section> found = section(name);
  if (!found || !found->in_file || found->size > limit) return std::nullopt;
  std::vector<std::byte> bytes(found->size);
  if (read_at(file_, found->offset, bytes).size() != bytes.size()) return std::nullopt;
  return bytes;
}

Symbols ElfFile::find_symbols(const std::vector<std::string_view>& names) const {
  std::unordered_set<std::string_view> wanted(names.begin(), names.end());
  Symbols found;
  for (const std::uint32_t type : {std::uint32_t{SHT_DYNSYM}, std::uint32_t{SHT_SYMTAB}}) {
    if (!wanted.empty()) take_symbols(elf_.get(), find_section_of_type(type), wanted, found);
  }
  return found;
}

}  // namespace flametap::target
