// PyflameOptions: the command line of Pyflame 1.6.6, understood. Nothing is printed here and nothing is begun.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"

namespace flametap::cli {

inline constexpr int kPyflameFailed = 1;  // the only code besides 0 that Pyflame has

struct PyflameOptions {
  std::optional<pid_t> pid = {};          // either this
  std::vector<std::string> command = {};  // or this, of -t
  double seconds = 1;                     // 0: one sample; negative: until the target exits
  Nanoseconds interval = kSecond / 100;   // whole microseconds, at least 10
  std::string output = "-";               // standard output
  std::string warning = {};               // to be printed before the work begins
  bool dump = false;
  bool threads = false;
  bool flamechart = false;
  bool exclude_idle = false;
  bool line_numbers = true;
  bool c_stack = false;
};

// What to say instead of sampling, with its line ends: on standard output if the exit code is 0, else on standard
// error.
struct PyflameAnswer {
  int exit_code;
  std::string text;
};

// `words` is the whole command line, the program's name included.
[[nodiscard]] std::variant<PyflameOptions, PyflameAnswer> parse_pyflame(const std::vector<std::string>& words);

}  // namespace flametap::cli
