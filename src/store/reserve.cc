#include "store/reserve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>
#include <limits>

#include "base/fd.h"

namespace flametap::store {
namespace {

constexpr std::uint64_t kLeastBytes = std::uint64_t{1} << 20;

}  // namespace

void Reserve::make() {
  if (path_.empty()) return;
  const Fd file(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return;
  const auto has = static_cast<std::uint64_t>(status.st_size);
  for (std::uint64_t bytes = kBytes; bytes >= kLeastBytes && bytes > has; bytes /= 2) {
    if (::posix_fallocate(file.get(), 0, static_cast<off_t>(bytes)) == 0) return;
    // What there was room for is not kept: it may be the last byte of the disk.
    if (::ftruncate(file.get(), status.st_size) != 0) return;
  }
}

bool Reserve::release() { return !path_.empty() && ::unlink(path_.c_str()) == 0; }

std::uint64_t free_bytes_beside(const std::string& path) {
  struct statvfs status {};
  if (::statvfs(std::filesystem::path(path).parent_path().c_str(), &status) != 0)
    return std::numeric_limits<std::uint64_t>::max();
  return std::uint64_t{status.f_bavail} * status.f_frsize;
}

}  // namespace flametap::store
