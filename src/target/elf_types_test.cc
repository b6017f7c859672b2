#include "target/elf_types.h"

#include <gtest/gtest.h>

#include <cstring>

namespace flametap::target {
namespace {

Elf64_Ehdr valid_header() {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = EM_X86_64;
  header.e_type = ET_DYN;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 3;
  return header;
}

std::string refusal(const Elf64_Ehdr& header) {
  const Result<Elf64_Ehdr> result = parse_elf_header(std::as_bytes(std::span{&header, 1}));
  return result ? "" : result.error().message;
}

TEST(ElfTypes, AcceptsOnly64BitX86) {
  EXPECT_EQ(refusal(valid_header()), "");
  Elf64_Ehdr header = valid_header();
  header.e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(refusal(header), "a 32-bit program; only 64-bit x86-64 is supported");
  header = valid_header();
  header.e_machine = EM_AARCH64;
  EXPECT_EQ(refusal(header), "for another kind of machine (ELF machine 183); only x86-64 is supported");
  header = valid_header();
  header.e_type = ET_CORE;
  EXPECT_EQ(refusal(header), "neither a program nor a shared library (ELF type 4)");
  header = valid_header();
  header.e_phnum = 0xffff;
  EXPECT_EQ(refusal(header), "an ELF file with damaged program headers");
  EXPECT_FALSE(parse_elf_header({}));
}

void append_note(std::vector<std::byte>& notes, std::uint32_t type, std::string_view name, std::string_view content) {
  const auto append = [&](std::string_view text) {
    for (const char letter : text) notes.push_back(static_cast<std::byte>(letter));
    while (notes.size() % 4 != 0) notes.push_back(std::byte{0});
  };
  const Elf64_Nhdr header{static_cast<Elf64_Word>(name.size()), static_cast<Elf64_Word>(content.size()), type};
  append({reinterpret_cast<const char*>(&header), sizeof header});
  append(name);
  append(content);
}

TEST(ElfTypes, FindsTheBuildIdAmongNotes) {
  std::vector<std::byte> notes;
  append_note(notes, NT_GNU_ABI_TAG, std::string_view("GNU\0", 4), "tag");
  append_note(notes, NT_GNU_BUILD_ID, std::string_view("Foo\0", 4), "wrong");
  append_note(notes, NT_GNU_BUILD_ID, std::string_view("GNU\0", 4), "right");
  const BuildId id = find_build_id(notes);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(id.data()), id.size()), "right");
  for (std::size_t length = 0; length + 4 < notes.size(); ++length) {
    EXPECT_TRUE(find_build_id(Bytes(notes).first(length)).empty()) << length;
  }
}

TEST(ElfTypes, AbsurdNoteSizesEndTheSearch) {
  for (const std::uint32_t size : {0xffff'ffffu, 0xffff'fffdu, 0x8000'0000u}) {
    const Elf64_Nhdr both{size, size, NT_GNU_BUILD_ID};
    EXPECT_TRUE(find_build_id(std::as_bytes(std::span{&both, 1})).empty());
    const Elf64_Nhdr content{0, size, NT_GNU_BUILD_ID};
    EXPECT_TRUE(find_build_id(std::as_bytes(std::span{&content, 1})).empty());
  }
}

Mapping mapping_at(std::uint64_t begin, std::uint64_t offset) {
  Mapping mapping;
  mapping.begin = Address{begin};
  mapping.end = Address{begin + 0x1000};
  mapping.offset = offset;
  return mapping;
}

TEST(ElfTypes, BiasOfASeparateCodeLibrary) {
  const std::vector<LoadSegment> segments{{LinkAddress{0}, 0x5e0, 0, 0x5e0},
                                          {LinkAddress{0x1000}, 0x149, 0x1000, 0x149},
                                          {LinkAddress{0x2000}, 0xdc, 0x2000, 0xdc},
                                          {LinkAddress{0x3e00}, 0x8ee0, 0x2e00, 0x214}};
  const std::vector<Mapping> mappings{mapping_at(0x7f0000000000, 0), mapping_at(0x7f0000001000, 0x1000),
                                      mapping_at(0x7f0000002000, 0x2000), mapping_at(0x7f0000003000, 0x2000),
                                      mapping_at(0x7f0000004000, 0x3000)};
  EXPECT_EQ(find_bias(segments, mappings), Bias{0x7f0000000000});
  // A mapping in the middle of the code, where nothing is ambiguous, is enough.
  EXPECT_EQ(find_bias(segments, std::span(mappings).subspan(1, 1)), Bias{0x7f0000000000});
}

TEST(ElfTypes, BiasWhereCodeAndDataShareAPageOfTheFile) {
  const std::vector<LoadSegment> segments{{LinkAddress{0}, 0x79c, 0, 0x79c},
                                          {LinkAddress{0x1e00}, 0x8ee0, 0xe00, 0x214}};
  const std::vector<Mapping> mappings{mapping_at(0x555000000000, 0), mapping_at(0x555000001000, 0),
                                      mapping_at(0x555000002000, 0x1000)};
  EXPECT_EQ(find_bias(segments, mappings), Bias{0x555000000000});
}

TEST(ElfTypes, BiasOfFixedAndPrelinkedFiles) {
  const std::vector<LoadSegment> fixed{{LinkAddress{0x400000}, 0x1000, 0, 0x1000},
                                       {LinkAddress{0x401000}, 0x1000, 0x1000, 0x1000}};
  EXPECT_EQ(find_bias(fixed, std::vector{mapping_at(0x400000, 0), mapping_at(0x401000, 0x1000)}), Bias{0});
  const std::vector<LoadSegment> prelinked{{LinkAddress{0x3000000000}, 0x2000, 0, 0x2000}};
  EXPECT_EQ(find_bias(prelinked, std::vector{mapping_at(0x7f0000000000, 0)}), Bias{0x7f0000000000 - 0x3000000000});
  EXPECT_FALSE(find_bias(prelinked, std::vector{mapping_at(0x7f0000000000, 0x10000)}));
  EXPECT_FALSE(find_bias({}, std::vector{mapping_at(0x7f0000000000, 0)}));
}

}  // namespace
}  // namespace flametap::target
