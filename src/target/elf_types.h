// What an ELF file and an ELF image in memory are both asked for.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "target/maps.h"
#include "target/memory.h"

namespace flametap::target {

// An address as the linker wrote it into the file. In a process it lies at `bias` + this.
enum class LinkAddress : std::uint64_t {};

[[nodiscard]] constexpr std::uint64_t to_number(LinkAddress address) { return static_cast<std::uint64_t>(address); }

// How far from its link addresses an ELF was loaded; 0 for a program that is not position-independent. Wraps around.
enum class Bias : std::uint64_t {};

[[nodiscard]] constexpr Address operator+(Bias bias, LinkAddress address) {
  return Address{static_cast<std::uint64_t>(bias) + to_number(address)};
}

// A part of the file that is loaded (PT_LOAD).
struct LoadSegment {
  LinkAddress address{};
  std::uint64_t memory_size = 0;
  std::uint64_t offset = 0;
  std::uint64_t file_size = 0;
  bool writable = false;
  bool executable = false;
};

struct Symbol {
  LinkAddress address{};
  std::uint64_t size = 0;
};

// By name; names that were not found are missing.
using Symbols = std::map<std::string, Symbol, std::less<>>;
using BuildId = std::vector<std::byte>;

// No real file comes near these. More is not read.
inline constexpr std::size_t kMaxProgramHeaders = 256;
inline constexpr std::size_t kMaxNoteBytes = 64 * 1024;

// Refuses, with a message, what is not a 64-bit little-endian x86-64 program or shared library.
[[nodiscard]] Result<Elf64_Ehdr> parse_elf_header(Bytes bytes);

[[nodiscard]] LoadSegment to_load_segment(const Elf64_Phdr& header);

// Whether a symbol is a function or variable of this very file, with a fixed address.
[[nodiscard]] bool is_definition(const Elf64_Sym& symbol);

// The build id in the bytes of a PT_NOTE segment, or empty.
[[nodiscard]] BuildId find_build_id(Bytes notes);

// Where the file was loaded, judging from its mappings: the bias on which most of them agree. One mapping alone can
// mislead: without -z separate-code the page of the file in which code ends and data begins is mapped twice.
[[nodiscard]] std::optional<Bias> find_bias(std::span<const LoadSegment> segments, std::span<const Mapping> mappings);

}  // namespace flametap::target
