// Binary: one ELF that processes have loaded, for its unwind rows and its symbols.
// BinaryCache: those that are in use, each opened once for all processes that share it.
//
// Made from the file where that is proved to be the mapped one, and otherwise from its image in memory: the vdso; a
// file that was deleted or replaced. Not safe for concurrent calls.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "native/symbols.h"
#include "native/unwind_table.h"
#include "target/elf_file.h"
#include "target/memory.h"
#include "target/module.h"

namespace flametap::native {

class Binary {
 public:
  // No loaded code is larger; more of an image is not copied.
  static constexpr std::uint64_t kMaxImageBytes = std::uint64_t{256} << 20;

  [[nodiscard]] static std::shared_ptr<Binary> from_file(target::ElfFile file, std::string path, target::BuildId id);
  // Fails if the image cannot be read or makes no sense.
  [[nodiscard]] static Result<std::shared_ptr<Binary>> from_image(target::Module& module, target::Memory& memory);

  Binary(const Binary&) = delete;
  Binary& operator=(const Binary&) = delete;

  // As the process that it was first seen in calls it; a hint for people. "[vdso]" is one too.
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const target::BuildId& build_id() const { return build_id_; }
  // Null if it was made from an image.
  [[nodiscard]] const target::ElfFile* file() const { return file_ ? &*file_ : nullptr; }
  // Of the file or the image. The latter has section headers only if they were loaded (the vdso's are).
  [[nodiscard]] Elf* elf() const { return file_ ? file_->handle() : image_elf_.get(); }
  [[nodiscard]] UnwindTable& rows() { return *rows_; }
  // Read at the first question, which may take some milliseconds. `process` has it loaded: its root may have debug
  // files.
  [[nodiscard]] Symbols& symbols(const target::Process& process);

 private:
  struct ElfEnd {
    void operator()(Elf* elf) const { elf_end(elf); }
  };

  Binary(std::string path, target::BuildId build_id) : path_(std::move(path)), build_id_(std::move(build_id)) {}

  std::string path_;
  target::BuildId build_id_;
  // Each is used by those below it.
  std::optional<target::ElfFile> file_;
  std::vector<std::byte> image_;
  std::unique_ptr<Elf, ElfEnd> image_elf_;
  std::unique_ptr<UnwindTable> rows_;
  std::optional<Symbols> symbols_;
};

class BinaryCache {
 public:
  BinaryCache() = default;
  BinaryCache(const BinaryCache&) = delete;
  BinaryCache& operator=(const BinaryCache&) = delete;

  // The binary of a module, null if it cannot be had in any way. May open and read a file.
  [[nodiscard]] std::shared_ptr<Binary> find(target::Module& module, target::Memory& memory);
  // Forgets the binaries that nobody else uses.
  void drop_unused();
  [[nodiscard]] std::size_t size() const { return by_build_id_.size() + by_file_.size(); }

  // A number that no other call gives: see AddressSpace::generation().
  [[nodiscard]] std::uint64_t next_generation() { return ++generation_; }

 private:
  // What names the content of a file that has no build id.
  struct FileKey {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t modified_seconds = 0;
    std::int64_t modified_nanoseconds = 0;
    auto operator<=>(const FileKey&) const = default;
  };

  static std::optional<FileKey> key_of(const target::ElfFile& file);
  std::shared_ptr<Binary> find_by_file(target::Module& module, target::Memory& memory);

  std::map<std::string, std::shared_ptr<Binary>> by_build_id_;
  std::map<FileKey, std::shared_ptr<Binary>> by_file_;
  std::uint64_t generation_ = 0;
};

}  // namespace flametap::native
