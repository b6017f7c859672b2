#include "target/maps.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "target/proc_file.h"

namespace flametap::target {
namespace {

// Takes apart one line from the left. After a failure every later step fails too.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  template <typename T>
  T number(int base) {
    T value{};
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    if (error != std::errc{}) failed_ = true;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  void expect(char separator) {
    if (!rest_.starts_with(separator)) {
      failed_ = true;
      return;
    }
    rest_.remove_prefix(1);
  }

  // Whether the next letter is `set`; otherwise it must be `clear`.
  bool flag(char set, char clear) {
    if (rest_.starts_with(set)) {
      rest_.remove_prefix(1);
      return true;
    }
    expect(clear);
    return false;
  }

  std::string_view rest() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    return rest_;
  }

  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

// The kernel writes a newline in a name as \012 and leaves every other character alone.
std::string unescape(std::string_view name) {
  constexpr std::string_view kNewline = "\\012";
  std::string plain;
  while (true) {
    const std::size_t escape = name.find(kNewline);
    plain += name.substr(0, escape);
    if (escape == std::string_view::npos) return plain;
    plain += '\n';
    name.remove_prefix(escape + kNewline.size());
  }
}

std::optional<Mapping> parse_line(std::string_view line) {
  LineReader reader(line);
  Mapping mapping;
  mapping.begin = Address{reader.number<std::uint64_t>(16)};
  reader.expect('-');
  mapping.end = Address{reader.number<std::uint64_t>(16)};
  reader.expect(' ');
  mapping.readable = reader.flag('r', '-');
  mapping.writable = reader.flag('w', '-');
  mapping.executable = reader.flag('x', '-');
  mapping.shared = reader.flag('s', 'p');
  reader.expect(' ');
  mapping.offset = reader.number<std::uint64_t>(16);
  reader.expect(' ');
  mapping.file.device_major = reader.number<std::uint32_t>(16);
  reader.expect(':');
  mapping.file.device_minor = reader.number<std::uint32_t>(16);
  reader.expect(' ');
  mapping.file.inode = reader.number<std::uint64_t>(10);
  std::string_view name = reader.rest();
  if (reader.failed() || mapping.begin >= mapping.end) return std::nullopt;

  constexpr std::string_view kDeleted = " (deleted)";
  if (mapping.has_file() && name.ends_with(kDeleted)) {
    mapping.deleted = true;
    name.remove_suffix(kDeleted.size());
  }
  mapping.path = unescape(name);
  return mapping;
}

}  // namespace

Result<Maps> Maps::parse(std::string_view text) {
  std::vector<Mapping> mappings;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    std::optional<Mapping> mapping = parse_line(line);
    if (!mapping) return Error{Failure::failed, "not a line of a memory map: '" + std::string(line) + "'", ""};
    // The kernel promises ascending addresses even while the map changes, and find() relies on it.
    if (!mappings.empty() && mapping->begin < mappings.back().end) {
      return Error{Failure::failed, "memory map out of order at '" + std::string(line) + "'", ""};
    }
    mappings.push_back(std::move(*mapping));
  }
  return Maps(std::move(mappings));
}

const Mapping* Maps::find(Address address) const {
  const auto after = std::upper_bound(mappings_.begin(), mappings_.end(), address,
                                      [](Address wanted, const Mapping& mapping) { return wanted < mapping.begin; });
  if (after == mappings_.begin()) return nullptr;
  const Mapping& candidate = *std::prev(after);
  return candidate.contains(address) ? &candidate : nullptr;
}

Result<Maps> read_maps(pid_t pid) {
  const Result<std::string> text = read_proc_file(proc_path(pid, "maps"));
  if (!text) return text.error();
  return Maps::parse(*text);
}

}  // namespace flametap::target
