#include "target/elf_image.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace flametap::target {
namespace {

constexpr std::size_t kMaxDynamicBytes = 64 * 1024;
constexpr std::uint32_t kMaxChain = 4096;  // of symbols with the same hash; real ones are a handful
constexpr std::size_t kMaxName = 1024;

std::uint32_t gnu_hash_of(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char letter : name) hash = hash * 33 + static_cast<unsigned char>(letter);
  return hash;
}

std::uint32_t sysv_hash_of(std::string_view name) {
  std::uint32_t hash = 0;
  for (const char letter : name) {
    hash = (hash << 4) + static_cast<unsigned char>(letter);
    const std::uint32_t high = hash & 0xf000'0000;
    hash = (hash ^ high >> 24) & ~high;
  }
  return hash;
}

template <typename T>
std::optional<T> read_number(Memory& memory, Address from) {
  T value{};
  if (memory.read_value(from, value) != ReadStatus::ok) return std::nullopt;
  return value;
}

}  // namespace

Result<ElfImage> ElfImage::open(Memory& memory, Address header) {
  // Linkers put the program headers right behind the file header, so that one page has both.
  std::array<std::byte, kPage> page{};
  if (memory.read(header, page) != ReadStatus::ok) {
    return Error{Failure::failed, "the start of the file is not readable in memory", ""};
  }
  const Result<Elf64_Ehdr> file_header = parse_elf_header(page);
  if (!file_header) return file_header.error();
  ElfImage image(memory, header);
  for (std::size_t i = 0; i < file_header->e_phnum; ++i) {
    const auto program = load<Elf64_Phdr>(page, file_header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!program) return Error{Failure::failed, "the program headers are not at the start of the file", ""};
    image.take(*program);
  }
  if (image.segments_.empty()) return Error{Failure::failed, "nothing in it is ever loaded", ""};
  image.settle();
  return image;
}

void ElfImage::take(const Elf64_Phdr& program) {
  if (program.p_type == PT_LOAD) segments_.push_back(to_load_segment(program));
  if (program.p_type == PT_NOTE) notes_.push_back({LinkAddress{program.p_vaddr}, program.p_memsz});
  if (program.p_type == PT_DYNAMIC) dynamic_ = {LinkAddress{program.p_vaddr}, program.p_memsz};
}

void ElfImage::settle() {
  std::sort(segments_.begin(), segments_.end(),
            [](const LoadSegment& left, const LoadSegment& right) { return left.address < right.address; });
  // The lowest part that shows the file's first page: the same page may be mapped again for the data behind.
  const auto first = std::find_if(segments_.begin(), segments_.end(),
                                  [](const LoadSegment& segment) { return segment.offset < kPage; });
  const LoadSegment& holder = first != segments_.end() ? *first : segments_.front();
  const std::uint64_t header_address = to_number(holder.address) - holder.offset;
  bias_ = Bias{to_number(header_) - header_address};
  for (const LoadSegment& segment : segments_) {
    // A forged size that runs past the end of the address space counts as none.
    const std::uint64_t end = to_number(segment.address) + segment.memory_size;
    if (end > header_address && end >= to_number(segment.address)) span_ = std::max(span_, end - header_address);
  }
}

BuildId ElfImage::read_build_id() const {
  for (const Part& note : notes_) {
    if (note.size > kMaxNoteBytes) continue;
    std::vector<std::byte> bytes(note.size);
    if (memory_->read(bias_ + note.address, bytes) != ReadStatus::ok) continue;
    BuildId id = find_build_id(bytes);
    if (!id.empty()) return id;
  }
  return {};
}

// glibc's loader replaces these link addresses by addresses in memory; musl's does not, and nobody does for the vdso.
Address ElfImage::place_dynamic(std::uint64_t value) const {
  const bool absolute = value >= to_number(header_) && value - to_number(header_) < span_;
  return absolute ? Address{value} : bias_ + LinkAddress{value};
}

ElfImage::Dynamic ElfImage::read_dynamic() const {
  Dynamic dynamic;
  std::vector<std::byte> bytes(std::min<std::uint64_t>(dynamic_.size, kMaxDynamicBytes));
  if (memory_->read(bias_ + dynamic_.address, bytes) != ReadStatus::ok) return dynamic;
  for (std::size_t offset = 0;; offset += sizeof(Elf64_Dyn)) {
    const auto entry = load<Elf64_Dyn>(bytes, offset);
    if (!entry || entry->d_tag == DT_NULL) return dynamic;
    const std::uint64_t value = entry->d_un.d_val;
    if (entry->d_tag == DT_SYMTAB) dynamic.symbols = place_dynamic(value);
    if (entry->d_tag == DT_STRTAB) dynamic.strings = place_dynamic(value);
    if (entry->d_tag == DT_STRSZ) dynamic.strings_size = value;
    if (entry->d_tag == DT_GNU_HASH) dynamic.gnu_hash = place_dynamic(value);
    if (entry->d_tag == DT_HASH) dynamic.hash = place_dynamic(value);
  }
}

Symbols ElfImage::find_symbols(const std::vector<std::string_view>& names) const {
  Symbols found;
  const Dynamic dynamic = read_dynamic();
  if (dynamic.symbols == kNull || dynamic.strings == kNull) return found;
  for (const std::string_view name : names) {
    std::optional<Symbol> symbol;
    if (dynamic.gnu_hash != kNull) {
      symbol = find_by_gnu_hash(dynamic, name);
    } else if (dynamic.hash != kNull) {
      symbol = find_by_hash(dynamic, name);
    }
    if (symbol) found.emplace(name, *symbol);
  }
  return found;
}

std::optional<Symbol> ElfImage::find_by_gnu_hash(const Dynamic& dynamic, std::string_view name) const {
  struct Table {
    std::uint32_t bucket_count, first_symbol, bloom_words, bloom_shift;
  };
  const auto table = read_number<Table>(*memory_, dynamic.gnu_hash);
  if (!table || table->bucket_count == 0) return std::nullopt;
  const std::uint32_t hash = gnu_hash_of(name);
  const Address buckets = dynamic.gnu_hash + sizeof(Table) + std::uint64_t{8} * table->bloom_words;
  const Address chains = buckets + std::uint64_t{4} * table->bucket_count;
  const auto bucket = read_number<std::uint32_t>(*memory_, buckets + std::uint64_t{4} * (hash % table->bucket_count));
  if (!bucket || *bucket < table->first_symbol) return std::nullopt;
  for (std::uint32_t step = 0; step < kMaxChain; ++step) {
    const std::uint32_t index = *bucket + step;
    const auto link = read_number<std::uint32_t>(*memory_, chains + std::uint64_t{4} * (index - table->first_symbol));
    if (!link) return std::nullopt;
    // The lowest bit marks the end of a chain; the others are the hash.
    if ((*link | 1) == (hash | 1)) {
      if (const auto symbol = symbol_if_named(dynamic, index, name)) return symbol;
    }
    if ((*link & 1) != 0) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Symbol> ElfImage::find_by_hash(const Dynamic& dynamic, std::string_view name) const {
  struct Table {
    std::uint32_t bucket_count, chain_count;
  };
  const auto table = read_number<Table>(*memory_, dynamic.hash);
  if (!table || table->bucket_count == 0) return std::nullopt;
  const Address buckets = dynamic.hash + sizeof(Table);
  const Address chains = buckets + std::uint64_t{4} * table->bucket_count;
  const std::uint32_t hash = sysv_hash_of(name);
  auto index = read_number<std::uint32_t>(*memory_, buckets + std::uint64_t{4} * (hash % table->bucket_count));
  for (std::uint32_t step = 0; index && *index != 0 && step < kMaxChain; ++step) {
    if (const auto symbol = symbol_if_named(dynamic, *index, name)) return symbol;
    index = read_number<std::uint32_t>(*memory_, chains + std::uint64_t{4} * *index);
  }
  return std::nullopt;
}

std::optional<Symbol> ElfImage::symbol_if_named(const Dynamic& dynamic, std::uint32_t index,
                                                std::string_view name) const {
  const auto symbol = read_number<Elf64_Sym>(*memory_, dynamic.symbols + sizeof(Elf64_Sym) * index);
  if (!symbol || !is_definition(*symbol) || name.size() >= kMaxName) return std::nullopt;
  if (dynamic.strings_size != 0 && symbol->st_name >= dynamic.strings_size) return std::nullopt;
  std::array<char, kMaxName> own{};
  const auto with_end = std::span(own).first(name.size() + 1);
  if (memory_->read(dynamic.strings + symbol->st_name, std::as_writable_bytes(with_end)) != ReadStatus::ok) {
    return std::nullopt;
  }
  if (std::string_view(own.data(), name.size()) != name || with_end.back() != '\0') return std::nullopt;
  return Symbol{LinkAddress{symbol->st_value}, symbol->st_size};
}

}  // namespace flametap::target
