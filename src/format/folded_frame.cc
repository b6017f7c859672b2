#include "format/folded_frame.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace flametap::format {
namespace {

using profile::FrameKind;

bool looks_like_file(std::string_view text) {
  return text.starts_with('<') || text.starts_with('[') || text.find_first_of("./") != std::string_view::npos;
}

// Stricter, where a colon is all that tells the parts apart: `std::vector<int>::size:3` is a C++ function.
bool is_surely_file(std::string_view text) {
  if (text.starts_with('<')) return text.ends_with('>');
  const std::size_t slash = text.rfind('/');
  const std::string_view base = text.substr(slash + 1);  // npos + 1 is 0
  return text.starts_with('/') || base.ends_with(".py") || base.ends_with(".pyx");
}

// Whether a function can be called so: what begins otherwise would read back as something else.
bool can_be_name(std::string_view text) {
  if (text.empty()) return false;
  const char first = text.front();
  return first == '_' || first == '<' || (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') ||
         static_cast<unsigned char>(first) >= 0x80;
}

// `name (file:line)`, `name (file)`, with the bracket there
FrameParts parse_ours(std::string_view text, std::size_t bracket) {
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

// `file:name:line`; without a line behind the last colon, nothing.
std::optional<FrameParts> parse_colons(std::string_view text) {
  const std::size_t last = text.rfind(':');
  if (last == std::string_view::npos || last == 0) return std::nullopt;
  const std::size_t middle = text.rfind(':', last - 1);
  if (middle == std::string_view::npos) return std::nullopt;
  const std::optional<std::int32_t> line = parse_number<std::int32_t>(text.substr(last + 1));
  const std::string_view name = text.substr(middle + 1, last - middle - 1);
  if (!line || *line < 0 || !can_be_name(name)) return std::nullopt;
  return FrameParts{.name = name, .file = text.substr(0, middle), .line = *line};
}

std::optional<FrameParts> parse_perf_python(std::string_view text) {
  constexpr std::string_view kPrefix = "py::";
  if (!text.starts_with(kPrefix)) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const FrameParts parts{.name = text.substr(0, colon), .file = text.substr(colon + 1)};
  if (!can_be_name(parts.name) || !is_surely_file(parts.file)) return std::nullopt;
  return parts;
}

struct Suffixes {
  FrameKind kind = FrameKind::python;
  bool jit = false;
};

// Takes the suffixes off. What is inlined in the kernel is the kernel's.
Suffixes take_suffixes(std::string_view& text) {
  Suffixes found;
  while (text.size() > 4 && text.ends_with(']') && text.substr(text.size() - 4, 2) == "_[") {
    const char letter = text[text.size() - 2];
    if (letter == 'k') {
      found.kind = FrameKind::kernel;
    } else if (letter == 'j') {
      found.jit = true;
    } else if (letter == 'i' && found.kind != FrameKind::kernel) {
      found.kind = FrameKind::inlined;
    } else if (letter == 'n' && found.kind == FrameKind::python) {
      found.kind = FrameKind::native;
    } else if (letter != 'i') {
      break;
    }
    text.remove_suffix(4);
  }
  return found;
}

// Names of C++ have brackets and blanks of their own, so the file is behind the last bracket that can begin one. Where
// no source is known, and so no line, the file is the module.
FrameParts parse_native(std::string_view text, FrameKind kind) {
  std::size_t bracket = text.rfind(" (/");
  if (bracket == std::string_view::npos) bracket = text.rfind(" (");
  FrameParts parts = parse_ours(text, bracket);
  parts.kind = kind;
  if (kind == FrameKind::kernel) {
    if (parts.file.empty()) parts.file = profile::kKernelModule;
    parts.module = profile::kKernelModule;
  } else if (parts.line == 0) {
    parts.module = parts.file;
  }
  return parts;
}

}  // namespace

FrameParts parse_frame(std::string_view text) {
  const Suffixes suffixes = take_suffixes(text);
  if (suffixes.kind != FrameKind::python && !suffixes.jit) return parse_native(text, suffixes.kind);
  if (is_marker(text)) return {.name = text, .kind = FrameKind::marker};
  if (const std::optional<FrameParts> python = parse_perf_python(text)) return *python;
  if (const std::optional<FrameParts> pyflame = parse_pyflame_frame(text)) return *pyflame;
  FrameParts parts = parse_ours(text, text.find(" ("));
  if (parts.file.empty() && suffixes.jit) parts.file = "[jit]";
  return parts;
}

std::optional<FrameParts> parse_pyflame_frame(std::string_view text) {
  const std::optional<FrameParts> parts = parse_colons(text);
  return parts && is_surely_file(parts->file) ? parts : std::nullopt;
}

std::optional<FrameParts> parse_austin_frame(std::string_view text) {
  if (text.size() > 2 && text.starts_with(':') && text.ends_with(':')) {
    if (text == ":GC:") return FrameParts{.name = "(gc)", .kind = FrameKind::marker};
    return FrameParts{.name = "(invalid)", .kind = FrameKind::marker};
  }
  std::optional<FrameParts> parts = parse_colons(text);
  if (!parts || parts->file.empty()) return std::nullopt;
  if (parts->file == "kernel") {
    parts->kind = FrameKind::kernel;
    parts->file = profile::kKernelModule;
    parts->module = profile::kKernelModule;
  }
  return parts;
}

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  if (text.empty() || (text.front() == '0' && text.size() > 1)) return std::nullopt;
  Number number{};
  const std::from_chars_result end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

template std::optional<std::int32_t> parse_number(std::string_view text);
template std::optional<std::uint64_t> parse_number(std::string_view text);

}  // namespace flametap::format
