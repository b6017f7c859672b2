#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/austin.h"
#include "format/folded.h"
#include "format/folded_frame.h"
#include "format/limits.h"
#include "format/profile_import.h"
#include "format/text.h"

namespace flametap::format {
namespace {

// A few lines that are not understood are left out of a file of stacks: messages of the tool that wrote it, or a line
// that was cut off. With more of them than this, or with more of them than of others, it is some other kind of file.
constexpr std::uint64_t kForeignLinesOfAnyFile = 3;
constexpr std::uint64_t kLinesPerForeignLine = 10;

constexpr const char* kWhatIsRead =
    "send or name a recording of flametap (ftap, html, json), a speedscope or pprof file, or folded stacks of Pyflame, "
    "py-spy, Austin or perf";

class FoldedReader {
 public:
  explicit FoldedReader(const ReadOptions& options) : import_(options.max_rows) {}

  void read_line(std::string_view line, std::size_t number) {
    if (line.empty()) return;
    if (line.starts_with('#')) return austin_.read_remark(line);  // other tools write remarks behind a #
    const bool is_austin = (good_lines_ == 0 || of_austin_) && austin_.knows(line);
    std::string reason;
    if (is_austin) {
      if (!austin_.read(line, import_)) reason = "has a number that is none, or makes the whole too large";
    } else {
      reason = of_austin_ ? "is not Austin's, as those before it are" : read_plain(line);
      if (of_austin_) ++foreign_lines_;
    }
    if (reason.empty()) {
      of_austin_ = is_austin;
      ++good_lines_;
    } else if (bad_lines_++ == 0) {
      first_bad_ = number;
      first_reason_ = reason;
    }
  }

  Result<ReadProfile> take() && {
    if (is_another_kind_of_file()) {
      return Error{Failure::failed,
                   "it has no folded stacks: " + std::to_string(foreign_lines_) + " of its " +
                       counted(good_lines_ + bad_lines_, "line") + " not understood, the first is line " +
                       std::to_string(first_bad_) + ": it " + first_reason_,
                   kWhatIsRead};
    }
    if (good_lines_ == 0 && bad_lines_ > 0) {
      return Error{Failure::failed, "line " + std::to_string(first_bad_) + ": " + first_reason_, ""};
    }
    ReadProfile read;
    austin_.finish(import_, read.warnings);
    add_plain_samples(read.warnings);
    if (bad_lines_ == 1) {
      read.warnings.push_back("line " + std::to_string(first_bad_) + " was not understood: it " + first_reason_);
    } else if (bad_lines_ > 1) {
      read.warnings.push_back(counted(bad_lines_, "line") + " not understood, the first is line " +
                              std::to_string(first_bad_) + ": it " + first_reason_);
    }
    read.profile = std::move(import_.profile);
    return read;
  }

 private:
  [[nodiscard]] bool is_another_kind_of_file() const {
    const std::uint64_t lines = good_lines_ + bad_lines_;
    return foreign_lines_ > std::max(kForeignLinesOfAnyFile, lines / kLinesPerForeignLine) ||
           foreign_lines_ > good_lines_;
  }

  // Gives what is wrong with the line, or "".
  std::string read_plain(std::string_view line) {
    const std::size_t blank = line.rfind(' ');
    const std::string_view digits = line.substr(blank + 1);  // npos + 1 is 0: the whole line
    const std::optional<std::uint64_t> count = parse_number<std::uint64_t>(digits);
    if (!count || blank == std::string_view::npos) {
      ++foreign_lines_;
      return "does not end with a count: '" + clean(line.substr(0, 60)) + "'";
    }
    const std::optional<profile::StackId> stack = read_stack(line.substr(0, blank));
    if (!stack) return "is deeper than " + std::to_string(kMaxStackDepth) + " frames, or there are too many stacks";
    if (*count > kMaxSum - plain_ticks_) return "makes the counts add up to too much";
    plain_ticks_ += *count;
    ticks_.resize(import_.profile.stack_count());
    ticks_[static_cast<std::size_t>(*stack)] += *count;
    return "";
  }

  // Lines of the same stack have nothing but their counts to tell them apart: they are one sample.
  void add_plain_samples(std::vector<std::string>& warnings) {
    const std::optional<profile::ThreadId> thread =
        import_.profile.threads().empty() ? import_.thread({}) : std::nullopt;
    bool all = true;
    for (std::size_t i = 0; i < ticks_.size(); ++i) {
      if (ticks_[i] == 0) continue;
      all = thread && all &&
            import_.add({.time_ns = 0,
                         .weight_ns = 0,
                         .thread = *thread,
                         .stack = profile::StackId(i),
                         .ticks = ticks_[i],
                         .state = 0});
    }
    if (!all) warnings.emplace_back("some lines were left out: they make it too large");
  }

  std::optional<profile::StackId> read_stack(std::string_view text) {
    std::optional<profile::StackId> stack = profile::kEmptyStack;
    if (text == kNoFrames) return stack;
    while (stack) {
      const std::size_t end = text.find(';');
      stack = import_.push(*stack, import_.frame(parse_frame(text.substr(0, end))));
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
    return stack;
  }

  ProfileImport import_;
  AustinLines austin_;
  // A file has one dialect: counts and times of the same lines cannot be added.
  bool of_austin_ = false;
  std::vector<std::uint64_t> ticks_;  // of every stack of a plain line
  std::uint64_t plain_ticks_ = 0;
  std::uint64_t good_lines_ = 0;
  std::uint64_t bad_lines_ = 0;
  std::uint64_t foreign_lines_ = 0;  // those among the bad ones that no profiler has written as a stack
  std::size_t first_bad_ = 0;
  std::string first_reason_;
};

}  // namespace

Result<ReadProfile> read_folded(std::string_view text, const ReadOptions& options) {
  if (text.size() > kMaxFileBytes) return Error{Failure::failed, "larger than 1 GiB", ""};
  if (text.find('\0') != std::string_view::npos)
    return Error{Failure::failed, "it has NUL bytes: it is a binary file, or text in UTF-16", kWhatIsRead};
  FoldedReader reader(options);
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    reader.read_line(line, number);
  }
  return std::move(reader).take();
}

}  // namespace flametap::format
