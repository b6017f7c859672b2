#include "format/byte_source.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace flametap::format {

Result<std::size_t> MemorySource::read(std::uint64_t offset, std::span<std::byte> to) const {
  if (offset >= bytes_.size()) return std::size_t{0};
  const std::size_t count = std::min(to.size(), bytes_.size() - static_cast<std::size_t>(offset));
  std::memcpy(to.data(), bytes_.data() + offset, count);
  return count;
}

Result<std::size_t> FileSource::read(std::uint64_t offset, std::span<std::byte> to) const {
  if (offset >= size_) return std::size_t{0};
  to = to.first(std::min<std::uint64_t>(to.size(), size_ - offset));
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t got = ::pread(file_, to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_error("read", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace flametap::format
