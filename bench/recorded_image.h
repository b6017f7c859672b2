// RecordedImage: the memory of a real interpreter as it once was, as far as a reader of stacks looks at it, and where
// in it the interpreter is; as a file. RecordedMemory reads it like that of a live target, PageRecorder makes one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "cpython/interpreter.h"
#include "target/memory.h"

namespace flametap::bench {

inline constexpr std::uint64_t kPageSize = 4096;

using Page = std::array<std::byte, kPageSize>;
using Pages = std::map<std::uint64_t, Page>;  // by their addresses

struct RecordedImage {
  cpython::Interpreter interpreter;  // without its file
  Pages pages;

  [[nodiscard]] Result<void> write(const std::string& path) const;
  [[nodiscard]] static Result<RecordedImage> read(const std::string& path);
};

// Overwrites all texts in it that look like paths but those of bench/targets/tower.py: an image is given to others, and
// beside what is read lie texts that tell of the machine.
void hide_paths(Pages& pages);

class RecordedMemory final : public target::Memory {
 public:
  struct Counts {
    std::uint64_t readings = 0;
    std::uint64_t stretches = 0;
    std::uint64_t bytes = 0;
  };

  explicit RecordedMemory(const Pages& pages);

  using Memory::read;
  [[nodiscard]] target::ReadResult read(std::span<const target::Segment> segments) override;

  // From now on every reading is counted, and goes through the function recorded_memory_read, so that what it costs,
  // which the kernel does with a live target, can be told from what the reader costs.
  void start_counting() { counts_ = {}, counting_ = true; }
  [[nodiscard]] Counts stop_counting() {
    counting_ = false;
    return counts_;
  }
  [[nodiscard]] target::ReadResult read_counted(std::span<const target::Segment> segments);

 private:
  struct Range {
    std::uint64_t from;
    std::vector<std::byte> content;
  };

  [[nodiscard]] target::ReadResult copy(std::span<const target::Segment> segments) const;

  std::vector<Range> ranges_;  // sorted; no two touch
  Counts counts_;
  bool counting_ = false;
};

// Of a process that stands still.
class PageRecorder final : public target::Memory {
 public:
  explicit PageRecorder(target::Memory& live) : live_(live) {}

  using Memory::read;
  [[nodiscard]] target::ReadResult read(std::span<const target::Segment> segments) override;
  [[nodiscard]] const Pages& pages() const { return pages_; }

 private:
  target::Memory& live_;
  Pages pages_;
};

}  // namespace flametap::bench
