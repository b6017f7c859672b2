#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include "format/folded.h"
#include "format/limits.h"
#include "format/text.h"

namespace flametap::format {
namespace {

using profile::FrameKind;
using profile::Profile;

// A number as we write it: digits alone, no zero in front.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  if (text.empty() || (text.front() == '0' && text.size() > 1)) return std::nullopt;
  Number number{};
  const std::from_chars_result end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

struct FrameParts {
  std::string_view name;
  std::string_view file = "";
  std::int32_t line = 0;
  FrameKind kind = FrameKind::python;
};

// Our own words; the name of a Python function has no blank in it and does not begin with a bracket.
bool is_marker(std::string_view text) {
  return text.starts_with("thread ") || text.starts_with("process ") || (text.starts_with('(') && text.ends_with(')'));
}

bool looks_like_file(std::string_view text) {
  return text.starts_with('<') || text.find_first_of("./") != std::string_view::npos;
}

// The reverse of frame_text. Whatever it takes apart, frame_text puts together again as it was.
FrameParts parse_frame(std::string_view text) {
  if (is_marker(text)) return {.name = text, .kind = FrameKind::marker};
  const std::size_t bracket = text.find(" (");
  if (bracket == std::string_view::npos || !text.ends_with(')')) return {.name = text};
  const std::string_view name = text.substr(0, bracket);
  const std::string_view inside = text.substr(bracket + 2, text.size() - bracket - 3);
  if (!looks_like_file(inside)) return {.name = text};
  const std::size_t colon = inside.rfind(':');
  if (colon != std::string_view::npos && colon > 0) {
    const std::optional<std::int32_t> line = parse_number<std::int32_t>(inside.substr(colon + 1));
    if (line && *line > 0) return {.name = name, .file = inside.substr(0, colon), .line = *line};
  }
  return {.name = name, .file = inside};
}

Error bad_line(std::size_t number, const std::string& reason) {
  return Error{Failure::failed, "line " + std::to_string(number) + ": " + reason, ""};
}

class Reader {
 public:
  Reader() {
    profile_.recording.mode = profile::Mode::unknown;
    thread_ = profile_.add(profile::Thread{profile_.add(profile::Process{0, "", ""}), 0, ""});
  }

  Result<void> read_line(std::string_view line, std::size_t line_number) {
    const std::size_t blank = line.rfind(' ');
    const std::string_view digits = line.substr(blank + 1);  // npos + 1 is 0: the whole line
    const std::optional<std::uint64_t> count = parse_number<std::uint64_t>(digits);
    if (!count || blank == std::string_view::npos) {
      return bad_line(line_number, "does not end with a count: '" + clean(line.substr(0, 60)) + "'");
    }
    if (*count > kMaxSum - profile_.total_ticks()) return bad_line(line_number, "the counts add up to too much");
    const Result<profile::StackId> stack = read_stack(line.substr(0, blank), line_number);
    if (!stack) return stack.error();
    profile_.add(
        profile::Sample{.time_ns = 0, .weight_ns = 0, .thread = thread_, .stack = *stack, .ticks = *count, .state = 0});
    return {};
  }

  Profile take() && { return std::move(profile_); }

 private:
  Result<profile::StackId> read_stack(std::string_view text, std::size_t line_number) {
    profile::StackId stack = profile::kEmptyStack;
    if (text == kNoFrames) return stack;
    for (std::uint32_t depth = 1;; ++depth) {
      if (depth > kMaxStackDepth) {
        return bad_line(line_number, "is deeper than " + std::to_string(kMaxStackDepth) + " frames");
      }
      const std::size_t end = text.find(';');
      const FrameParts parts = parse_frame(text.substr(0, end));
      const profile::Function function{profile_.intern(parts.name), profile_.intern(parts.file), 0, parts.kind};
      stack = profile_.push(stack, profile_.intern(profile::Frame{profile_.intern(function), parts.line}));
      if (end == std::string_view::npos) return stack;
      text.remove_prefix(end + 1);
    }
  }

  Profile profile_;
  profile::ThreadId thread_;
};

}  // namespace

Result<Profile> read_folded(std::string_view text) {
  if (text.size() > kMaxFileBytes) return Error{Failure::failed, "larger than 1 GiB", ""};
  Reader reader;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;  // other tools write remarks behind a #
    if (const Result<void> read = reader.read_line(line, number); !read) return read.error();
  }
  return std::move(reader).take();
}

}  // namespace flametap::format
