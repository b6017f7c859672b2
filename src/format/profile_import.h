// ProfileImport: builds a profile out of the file of another tool, within the bounds of limits.h.
//
// What such a file does not tell stays unknown: its mode, and the times or the ticks of its samples.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/limits.h"
#include "profile/profile.h"

namespace flametap::format {

// What the text of one frame says. A line of 0 is not known.
struct FrameParts {
  std::string_view name;
  std::string_view file = "";
  std::int32_t line = 0;
  std::int32_t first_line = 0;
  profile::FrameKind kind = profile::FrameKind::python;
  std::string_view module = "";
};

// Which thread a sample belongs to, as far as its file says.
struct ThreadParts {
  std::int32_t pid = 0;
  std::uint64_t id = 0;
  std::string name = {};
};

class ProfileImport {
 public:
  // `max_rows`: of stacks, and of samples, where that is fewer than limits.h allows.
  explicit ProfileImport(std::uint64_t max_rows = kMaxSamples)
      : max_stacks_(std::min<std::uint64_t>(kMaxStacks, max_rows)),
        max_samples_(std::min<std::uint64_t>(kMaxSamples, max_rows)) {
    profile.recording.mode = profile::Mode::unknown;
  }

  // Names and files that are absurdly long are cut.
  profile::FrameId frame(const FrameParts& parts);

  // Nothing if the stack is too deep, or if there are too many of them.
  [[nodiscard]] std::optional<profile::StackId> push(profile::StackId parent, profile::FrameId frame);

  // The thread of that process, id and name, the same one each time. Nothing if there are too many.
  [[nodiscard]] std::optional<profile::ThreadId> thread(const ThreadParts& parts);

  // A thread of its own, whatever its name.
  [[nodiscard]] std::optional<profile::ThreadId> new_thread(const ThreadParts& parts);

  // False, and nothing is added, if the sums would overflow or there are too many.
  [[nodiscard]] bool add(const profile::Sample& sample);

  // The command of the process that every thread without a pid belongs to; to be called before there is any.
  void name_process(std::string command) { command_ = std::move(command); }

  profile::Profile profile;

 private:
  profile::ProcessId process(std::int32_t pid);

  std::uint64_t max_stacks_;
  std::uint64_t max_samples_;
  std::string command_;
  std::vector<std::uint32_t> depths_ = {0};  // of every stack
  std::unordered_map<std::int32_t, profile::ProcessId> processes_;
  std::unordered_map<std::string, profile::ThreadId> threads_;
};

// A word of flametap's own, or of another profiler, instead of a function: `thread Main (7)`, `(idle)`.
[[nodiscard]] bool is_marker(std::string_view text);

// "1 line was", "12 lines were"
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace flametap::format
