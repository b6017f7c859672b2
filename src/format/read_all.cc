#include "format/read_all.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

namespace flametap::format {

Result<std::string> read_all(int file, std::size_t limit) {
  constexpr std::size_t kReadAtOnce = 1 << 20;
  std::string content;
  while (content.size() <= limit) {
    const std::size_t before = content.size();
    content.resize(before + kReadAtOnce);
    const ssize_t got = ::read(file, content.data() + before, kReadAtOnce);
    if (got < 0 && errno != EINTR) return errno_error("read", errno);
    content.resize(before + static_cast<std::size_t>(got < 0 ? 0 : got));
    if (got == 0) return content;
  }
  return Error{Failure::failed, fmt::format("larger than {} MiB", limit >> 20), ""};
}

}  // namespace flametap::format
