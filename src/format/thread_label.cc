#include "format/thread_label.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "format/folded_frame.h"

namespace flametap::format {
namespace {

// Takes `process 5 (python a.py) ` or py-spy's `Process 5 ` off the front.
std::int32_t take_process(std::string_view& text) {
  const bool ours = text.starts_with("process ");
  if (!ours && !text.starts_with("Process ")) return 0;
  constexpr std::size_t kWord = 8;
  const std::size_t blank = text.find(' ', kWord);
  const std::optional<std::int32_t> pid = parse_number<std::int32_t>(text.substr(kWord, blank - kWord));
  // The command may hold any word, so that of the thread is the last one.
  const std::size_t thread = ours ? text.rfind(") thread") : text.find(" Thread ");
  if (!pid || *pid < 0 || thread == std::string_view::npos) return 0;
  text.remove_prefix(thread + (ours ? 2 : 1));
  return *pid;
}

// `thread NAME (id)`; both parts may be missing.
std::optional<ThreadParts> parse_ours(std::string_view text) {
  if (text != "thread" && !text.starts_with("thread ")) return std::nullopt;
  text.remove_prefix(6);
  ThreadParts parts;
  const std::size_t bracket = text.rfind(" (");
  if (bracket != std::string_view::npos && text.ends_with(')')) {
    const std::string_view digits = text.substr(bracket + 2, text.size() - bracket - 3);
    if (const std::optional<std::uint64_t> id = parse_number<std::uint64_t>(digits)) {
      parts.id = *id;
      text = text.substr(0, bracket);
    }
  }
  parts.name = text.substr(text.starts_with(' ') ? 1 : 0);
  return parts;
}

// `Thread 7 "MainThread"`, the id also as 0x7f00, the name may be missing.
std::optional<ThreadParts> parse_py_spy(std::string_view text) {
  constexpr std::string_view kWord = "Thread ";
  if (!text.starts_with(kWord)) return std::nullopt;
  text.remove_prefix(kWord.size());
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const char* first = text.data() + (hexadecimal ? 2 : 0);
  ThreadParts parts;
  const std::from_chars_result end = std::from_chars(first, text.data() + text.size(), parts.id, hexadecimal ? 16 : 10);
  if (end.ptr == first || end.ec != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end.ptr - text.data()));
  if (text.empty()) return parts;
  if (text.size() < 3 || !text.starts_with(" \"") || !text.ends_with('"')) return std::nullopt;
  parts.name = text.substr(2, text.size() - 3);
  return parts;
}

}  // namespace

ThreadParts parse_thread_label(std::string_view text) {
  std::string_view rest = text;
  const std::int32_t pid = take_process(rest);
  std::optional<ThreadParts> parts = parse_ours(rest);
  if (!parts) parts = parse_py_spy(rest);
  if (!parts) return {.name = std::string(text)};
  parts->pid = pid;
  return *parts;
}

}  // namespace flametap::format
