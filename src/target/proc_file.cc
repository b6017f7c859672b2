#include "target/proc_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace flametap::target {

std::string proc_path(pid_t pid, std::string_view name) {
  return "/proc/" + std::to_string(pid) + "/" + std::string(name);
}

Result<std::string> read_proc_file(const std::string& path, std::size_t limit) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    // The folder /proc/PID vanishes with its process.
    if (errno == ENOENT && path.starts_with("/proc/")) return errno_error("open " + path, ESRCH);
    return errno_error("open " + path, errno);
  }
  return read_all(file, path, limit);
}

Result<std::string> read_all(const Fd& file, const std::string& path, std::size_t limit) {
  std::string text;
  std::size_t length = 0;
  while (true) {
    if (text.size() - length < 4096) text.resize(std::max<std::size_t>(8192, 2 * text.size()));
    const ssize_t count = ::read(file.get(), text.data() + length, text.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno_error("read " + path, errno);
    if (count == 0) break;
    length += static_cast<std::size_t>(count);
    if (length > limit) return Error{Failure::failed, path + " is too long", ""};
  }
  text.resize(length);
  return text;
}

std::optional<std::string_view> find_field(std::string_view status, std::string_view key) {
  while (!status.empty()) {
    const std::size_t length = std::min(status.find('\n'), status.size());
    std::string_view line = status.substr(0, length);
    status.remove_prefix(std::min(length + 1, status.size()));
    if (!line.starts_with(key) || !line.substr(key.size()).starts_with(':')) continue;
    line.remove_prefix(key.size() + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line;
  }
  return std::nullopt;
}

}  // namespace flametap::target
