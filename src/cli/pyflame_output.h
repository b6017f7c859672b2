// What Pyflame prints: frames, and a recording as counts of stacks or as samples with their times. Pure.
//
//   collapsed   "(idle) 3", "(failed) 1", then each stack once: frames, the root first, with `;` between, and a count
//   flamechart  two lines per sample: microseconds since 1970; then frames, each followed by `;`, or a marker
//
// A frame is `file:name:line`, the name being the one without classes and enclosing functions, which every version of
// Python knows; or `file:name`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/interner.h"
#include "cli/thread_dump.h"
#include "sampler/named_frame.h"

namespace flametap::cli {

struct PyflameFrame {
  std::string_view file;
  std::string_view name;  // may be qualified
  std::int32_t line;
};

[[nodiscard]] std::string pyflame_text(const PyflameFrame& frame, bool line_numbers);
// The same of any frame: one of C stands in the file "0xc".
[[nodiscard]] std::string pyflame_text(const sampler::NamedFrame& frame, bool line_numbers);

// In place of the outer frames of a stack that is deeper than we follow.
inline constexpr PyflameFrame kTruncatedFrame{"(truncated)", "(truncated)", 0};

class PyflameLog {
 public:
  enum class LineId : std::uint32_t {};
  static constexpr LineId kIdle{0};    // nobody held the GIL, or had a frame
  static constexpr LineId kFailed{1};  // it could not be read

  struct Options {
    bool flamechart = false;
    bool exclude_idle = false;
  };

  explicit PyflameLog(Options options);

  // The stack, its frames already texts, the root first.
  [[nodiscard]] LineId line_of(const std::vector<std::string>& frames);
  // A sample, which is a line or a marker.
  void add(LineId line, std::uint64_t unix_us);
  [[nodiscard]] bool empty() const { return samples_ == 0; }

  // All of it, every line ended. Empty if there is nothing to say.
  [[nodiscard]] std::string text() const { return options_.flamechart ? flamechart() : collapsed(); }

 private:
  struct Moment {
    std::uint64_t unix_us;
    LineId line;
  };

  [[nodiscard]] std::string collapsed() const;
  [[nodiscard]] std::string flamechart() const;

  Options options_;
  Interner<std::string, LineId> lines_;
  std::vector<std::uint64_t> counts_;  // by line
  std::vector<Moment> moments_;        // of a flamechart
  std::uint64_t samples_ = 0;
};

// Every thread that has a stack: its id, `*` if it holds the GIL, and its frames, the innermost first.
[[nodiscard]] std::string pyflame_text(const ThreadDump& dump);

}  // namespace flametap::cli
