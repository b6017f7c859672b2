// FtapTables: the tables that the chunks of an .ftap file add up to, whatever chunks are missing.
//
// An entry may stand in a later chunk than what refers to it: entries are repeated, and the chunk that had it first may
// be damaged. So all chunks are read first, and what an id stands for is settled then. What no chunk says becomes
// `(lost)`: never a guess.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/ftap_bytes.h"
#include "format/ftap_chunk.h"
#include "profile/profile.h"

namespace flametap::format {

inline constexpr std::string_view kLost = "(lost)";

class FtapTables {
 public:
  // No id is `max_ids` or above: what the size of the file can justify.
  explicit FtapTables(std::uint64_t max_ids) : max_ids_(max_ids) {}

  // Takes a section of any kind but the samples, which it leaves alone. False if it cannot be true.
  [[nodiscard]] bool read(FtapSection kind, FtapCursor& cursor);

  // All sections are read: puts every entry into the profile. Only then ask for ids.
  void settle();

  struct StackRef {
    profile::StackId id;
    bool lost;  // some of it
  };
  [[nodiscard]] StackRef stack(std::uint64_t id);
  [[nodiscard]] profile::ThreadId thread(std::uint64_t id);

  profile::Profile profile;  // without samples

 private:
  static constexpr std::uint32_t kUndefined = 0xffff'ffff;
  struct Function {
    std::uint32_t name = kUndefined;
    std::uint32_t file = kUndefined;
    std::int32_t first_line = 0;
    profile::FrameKind kind = profile::FrameKind::python;
    std::optional<std::uint32_t> module = {};  // nothing in version 1
  };
  struct Frame {
    std::uint32_t function = kUndefined;
    std::int32_t line = 0;
  };
  struct Stack {
    std::uint32_t parent = kUndefined;
    std::uint32_t frame = kUndefined;
  };
  struct Thread {
    std::uint32_t process = kUndefined;
    std::uint64_t id = 0;
    std::string name;
  };
  struct Range {
    std::size_t first = 0;
    std::size_t count = 0;
  };

  [[nodiscard]] Range take_range(FtapCursor& cursor) const;
  void read_recording(FtapCursor& cursor);
  void read_strings(FtapCursor& cursor);
  void read_functions(FtapCursor& cursor);
  void read_frames(FtapCursor& cursor);
  void read_stacks(FtapCursor& cursor);
  void read_processes(FtapCursor& cursor);
  void read_threads(FtapCursor& cursor);
  void read_sources(FtapCursor& cursor);
  [[nodiscard]] std::vector<profile::FunctionId> settle_functions();
  [[nodiscard]] std::vector<profile::FrameId> settle_frames(const std::vector<profile::FunctionId>& functions);
  void settle_stacks(const std::vector<profile::FrameId>& frames);
  void settle_threads();

  std::uint64_t max_ids_;
  // By id in the file. What is not defined is kUndefined, or nothing.
  std::vector<std::uint32_t> strings_;  // in the profile already: they refer to nothing
  std::vector<Function> functions_;
  std::vector<Frame> frames_;
  std::vector<Stack> stacks_;
  std::vector<std::optional<profile::Process>> processes_;
  std::vector<std::optional<Thread>> threads_;
  // Settled: by id in the file, the id in the profile.
  std::vector<StackRef> settled_stacks_;
  std::vector<std::optional<profile::ThreadId>> settled_threads_;
  std::optional<profile::ThreadId> lost_thread_;
};

}  // namespace flametap::format
