// CfiSection: the call frame information of one ELF, cut into what belongs to each function.
//
// By hand, although libdw can do it: libdw believes the search table of .eh_frame_hdr, which may point anywhere, so
// that nothing could be looked at before it is used; and without that table it takes a hundred times as long. What is
// found here is given to libdw one function at a time.
//
// Borrows the bytes of the Elf.
#pragma once

#include <libelf.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/bytes.h"

namespace flametap::native {

class CfiCursor;

class CfiSection {
 public:
  // No program has more; a forged size must not make us read for ever.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;

  // What many functions have in common (a "CIE").
  struct Common {
    std::uint64_t code_alignment = 0;
    std::int64_t data_alignment = 0;
    std::uint64_t return_column = 0;
    std::uint8_t encoding = 0;  // of the addresses in its functions
    bool has_augmentation = false;
    bool signal_frame = false;
    Bytes instructions;
  };
  struct Function {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    const Common* common = nullptr;
    Bytes instructions;
  };
  // A function, or the gap between two.
  struct Found {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::optional<Function> function;
  };

  CfiSection(CfiSection&&) = default;
  CfiSection& operator=(CfiSection&&) = default;
  CfiSection(const CfiSection&) = delete;
  CfiSection& operator=(const CfiSection&) = delete;

  // Of the section headers, or of the program header if there are none. Knows nothing if there is no such section.
  [[nodiscard]] static CfiSection eh_frame(Elf* elf);
  [[nodiscard]] static CfiSection debug_frame(Elf* elf);

  [[nodiscard]] Found find(std::uint64_t address) const;
  [[nodiscard]] std::size_t size() const { return functions_.size(); }

 private:
  enum class Kind : std::uint8_t { eh_frame, debug_frame };
  // A part of the section: its length in front, then whom it belongs to.
  struct Entry {
    std::size_t begin = 0;     // of the length
    std::size_t id_at = 0;     // of the id
    std::size_t contents = 0;  // behind the id
    std::size_t end = 0;
    std::uint64_t id = 0;
  };
  // Offsets are 32 bits wide, since kMaxBytes is.
  struct Indexed {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    const Common* common = nullptr;
    std::uint32_t instructions = 0;
    std::uint32_t instructions_end = 0;
  };

  CfiSection(Kind kind, Bytes bytes, std::uint64_t address);

  void index();
  [[nodiscard]] std::optional<Entry> entry_at(std::size_t offset) const;
  [[nodiscard]] bool is_common(const Entry& entry) const;
  [[nodiscard]] const Common* common_at(std::size_t offset);
  [[nodiscard]] std::optional<Common> parse_common(const Entry& entry) const;
  [[nodiscard]] static bool parse_augmentation(CfiCursor& cursor, std::size_t letters, std::size_t count, Bytes bytes,
                                               Common& common);
  [[nodiscard]] std::optional<Indexed> parse_function(const Entry& entry, const Common& common) const;

  Kind kind_;
  Bytes bytes_;
  std::uint64_t address_;
  std::map<std::size_t, std::optional<Common>> commons_;  // by offset; nothing: not understood
  std::vector<Indexed> functions_;                        // in the order of their addresses
};

}  // namespace flametap::native
