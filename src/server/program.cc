#include "server/program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/fd.h"

namespace flametap::server {
namespace {

// At most so many bytes; one read of a file on a disk gives them all.
Result<std::string> read_at(const Fd& file, std::uint64_t from, std::size_t max) {
  std::string bytes(max, '\0');
  ssize_t got = 0;
  do {
    got = ::pread(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(from));
  } while (got < 0 && errno == EINTR);
  if (got < 0) return errno_error("cannot read the program", errno);
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

}  // namespace

Result<std::shared_ptr<const ByteStream>> running_program() {
  auto file = std::make_shared<const Fd>(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  if (!*file) return errno_error("cannot open /proc/self/exe", errno);
  struct stat status {};
  if (::fstat(file->get(), &status) != 0) return errno_error("fstat", errno);
  return std::make_shared<const ByteStream>(
      ByteStream{static_cast<std::uint64_t>(status.st_size),
                 [file](std::uint64_t from, std::size_t max) { return read_at(*file, from, max); }});
}

}  // namespace flametap::server
