// Maps: what a process has mapped into its memory, as /proc/PID/maps lists it: a picture of one moment.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "target/memory.h"

namespace flametap::target {

// Where a file is, as far as the kernel tells from outside.
struct FileId {
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::uint64_t inode = 0;
  auto operator<=>(const FileId&) const = default;
};

// One line: addresses [begin, end) with the same rights and the same file behind them.
struct Mapping {
  Address begin{};
  Address end{};
  bool readable = false;
  bool writable = false;
  bool executable = false;
  bool shared = false;
  std::uint64_t offset = 0;  // of `begin`, in the file
  FileId file;               // inode 0: no file
  // The file's path as the target sees it, "[heap]" and the like, or empty. Without the mark of a deleted file. A path
  // is a hint, never a proof: it can be reused, and a name may itself end in " (deleted)".
  std::string path;
  bool deleted = false;

  [[nodiscard]] std::uint64_t size() const { return to_number(end) - to_number(begin); }
  [[nodiscard]] bool contains(Address address) const { return begin <= address && address < end; }
  [[nodiscard]] bool has_file() const { return file.inode != 0; }
  // [heap], [stack], [vdso], [anon:name] and so on.
  [[nodiscard]] bool is_special() const { return path.starts_with('['); }
  bool operator==(const Mapping&) const = default;
};

class Maps {
 public:
  // `text` is in the format of /proc/PID/maps.
  [[nodiscard]] static Result<Maps> parse(std::string_view text);

  // The mapping that holds the address, or null.
  [[nodiscard]] const Mapping* find(Address address) const;

  [[nodiscard]] auto begin() const { return mappings_.begin(); }
  [[nodiscard]] auto end() const { return mappings_.end(); }
  [[nodiscard]] std::size_t size() const { return mappings_.size(); }
  [[nodiscard]] bool empty() const { return mappings_.empty(); }
  [[nodiscard]] const Mapping& operator[](std::size_t index) const { return mappings_[index]; }

 private:
  explicit Maps(std::vector<Mapping> mappings) : mappings_(std::move(mappings)) {}

  std::vector<Mapping> mappings_;  // in the order of their addresses; they never overlap
};

// A zombie and a kernel thread have no mappings: the result is empty.
[[nodiscard]] Result<Maps> read_maps(pid_t pid);

}  // namespace flametap::target
