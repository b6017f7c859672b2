#include "native/binary.h"

#include <elf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace flametap::native {
namespace {

using target::kPage;

// The bytes that the file had from its begin to the end of the last part that is loaded.
std::uint64_t file_span(const target::Module& module) {
  std::uint64_t span = 0;
  for (const target::LoadSegment& segment : module.image().segments()) {
    if (segment.offset > Binary::kMaxImageBytes || segment.file_size > Binary::kMaxImageBytes) return 0;
    span = std::max(span, segment.offset + segment.file_size);
  }
  // The vdso is mapped whole, with its section headers.
  if (module.path() == "[vdso]") span = std::max(span, module.mappings().front().size());
  return span <= Binary::kMaxImageBytes ? span : 0;
}

// A page that cannot be read stays zero: what stood there is not known, which is what zeros mean to libdw.
void read_stretch(target::Memory& memory, target::Address from, std::span<std::byte> to) {
  if (memory.read(from, to) == target::ReadStatus::ok) return;
  while (!to.empty()) {
    const std::size_t size = std::min<std::size_t>(to.size(), kPage - to_number(from) % kPage);
    const std::span<std::byte> part = to.first(size);
    if (memory.read(from, part) != target::ReadStatus::ok) std::fill(part.begin(), part.end(), std::byte{0});
    to = to.subspan(size);
    from = from + size;
  }
}

std::vector<std::byte> lay_out_as_file(const target::Module& module, target::Memory& memory) {
  std::vector<std::byte> bytes(file_span(module));
  if (module.path() == "[vdso]") {
    read_stretch(memory, module.mappings().front().begin, std::span(bytes).first(module.mappings().front().size()));
    return bytes;
  }
  for (const target::LoadSegment& segment : module.image().segments()) {
    if (bytes.empty()) break;
    read_stretch(memory, module.bias() + segment.address, std::span(bytes).subspan(segment.offset, segment.file_size));
  }
  return bytes;
}

// Section headers that were not loaded must not be looked for in what happens to lie there.
void hide_missing_sections(std::span<std::byte> bytes, bool whole) {
  const auto header = load<Elf64_Ehdr>(bytes, 0);
  if (!header) return;
  const std::uint64_t size = std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr);
  if (whole && header->e_shoff <= bytes.size() && bytes.size() - header->e_shoff >= size) return;
  Elf64_Ehdr without = *header;
  without.e_shoff = 0;
  without.e_shnum = 0;
  without.e_shstrndx = SHN_UNDEF;
  std::memcpy(bytes.data(), &without, sizeof without);
}

}  // namespace

std::shared_ptr<Binary> Binary::from_file(target::ElfFile file, std::string path, target::BuildId id) {
  std::shared_ptr<Binary> binary(new Binary(std::move(path), std::move(id)));
  binary->file_.emplace(std::move(file));
  binary->rows_ = std::make_unique<UnwindTable>(binary->elf());
  return binary;
}

Result<std::shared_ptr<Binary>> Binary::from_image(target::Module& module, target::Memory& memory) {
  std::shared_ptr<Binary> binary(new Binary(module.path(), module.build_id()));
  binary->image_ = lay_out_as_file(module, memory);
  const Result<Elf64_Ehdr> header = target::parse_elf_header(binary->image_);
  if (!header) return header.error().within("the image of " + module.path());
  hide_missing_sections(binary->image_, module.path() == "[vdso]");
  elf_version(EV_CURRENT);
  binary->image_elf_.reset(elf_memory(reinterpret_cast<char*>(binary->image_.data()), binary->image_.size()));
  if (!binary->image_elf_ || elf_kind(binary->image_elf_.get()) != ELF_K_ELF) {
    return Error{Failure::failed, "the image of " + module.path() + " is no ELF: " + elf_errmsg(-1), ""};
  }
  binary->rows_ = std::make_unique<UnwindTable>(binary->elf());
  return binary;
}

std::optional<BinaryCache::FileKey> BinaryCache::key_of(const target::ElfFile& file) {
  struct stat status {};
  if (::fstat(file.descriptor().get(), &status) != 0) return std::nullopt;
  return FileKey{.device = status.st_dev,
                 .inode = status.st_ino,
                 .size = static_cast<std::uint64_t>(status.st_size),
                 .modified_seconds = status.st_mtim.tv_sec,
                 .modified_nanoseconds = status.st_mtim.tv_nsec};
}

Symbols& Binary::symbols(const target::Process& process) {
  if (!symbols_) {
    symbols_ = file_ ? Symbols::load(*file_, path_, {.search = {.process = &process}}) : Symbols::from_bytes(image_);
  }
  return *symbols_;
}

std::shared_ptr<Binary> BinaryCache::find(target::Module& module, target::Memory& memory) {
  const target::BuildId id = module.build_id();
  if (id.empty()) return find_by_file(module, memory);
  std::shared_ptr<Binary>& known = by_build_id_[std::string(reinterpret_cast<const char*>(id.data()), id.size())];
  // Another process may have the file where the first one had only its image.
  if (known != nullptr && (known->file() != nullptr || module.file() == nullptr)) return known;
  if (std::optional<target::ElfFile> file = module.take_file()) {
    known = Binary::from_file(std::move(*file), module.path(), id);
  } else if (Result<std::shared_ptr<Binary>> image = Binary::from_image(module, memory)) {
    known = std::move(*image);
  }
  return known;
}

std::shared_ptr<Binary> BinaryCache::find_by_file(target::Module& module, target::Memory& memory) {
  std::optional<target::ElfFile> file = module.take_file();
  const std::optional<FileKey> key = file ? key_of(*file) : std::nullopt;
  if (!key) {
    // Nothing says what else it could be the same as.
    Result<std::shared_ptr<Binary>> image = Binary::from_image(module, memory);
    return image ? std::move(*image) : nullptr;
  }
  std::shared_ptr<Binary>& known = by_file_[*key];
  if (known == nullptr) known = Binary::from_file(std::move(*file), module.path(), {});
  return known;
}

void BinaryCache::drop_unused() {
  const auto unused = [](const auto& entry) { return entry.second.use_count() <= 1; };
  std::erase_if(by_build_id_, unused);
  std::erase_if(by_file_, unused);
}

}  // namespace flametap::native
