// PerfMapFile: /tmp/perf-PID.map of a process, in its own root and under the pid that it sees itself.
//
// Anybody may have put a file there: it must be a regular one that belongs to the user of the process, or to root, and
// that was written to since the process began. Borrows the Process. Not safe for concurrent calls.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/fd.h"
#include "native/perf_map.h"
#include "target/process.h"

namespace flametap::native {

// What stands behind this is not read.
inline constexpr std::size_t kMaxPerfMapBytes = 64u << 20;

class PerfMapFile {
 public:
  explicit PerfMapFile(const target::Process& process) : process_(&process) {}

  // Reads what was added since the last time; all of it when the file was replaced or became shorter. Without a file
  // that can be read, what is known stays. Says whether anything was added.
  bool refresh();

  [[nodiscard]] std::optional<std::string_view> find(target::Address address) const { return map_.find(address); }
  [[nodiscard]] const PerfMap& map() const { return map_; }

 private:
  [[nodiscard]] bool is_trusted(const struct stat& status) const;
  bool read_on(const Fd& file, std::size_t size);

  const target::Process* process_;
  PerfMap map_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::size_t read_ = 0;  // up to the end of the last whole line
};

}  // namespace flametap::native
