#include "format/temporary_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <memory>
#include <utility>

#include "format/format.h"
#include "format/write_all.h"

namespace flametap::format {
namespace {

constexpr int kMaxAttempts = 10'000;
constexpr mode_t kReadableByUmask = 0666;
constexpr mode_t kRights = 0777;

}  // namespace

Result<TemporaryFile> TemporaryFile::create(const std::string& final_path) {
  const std::size_t name_start = final_path.rfind('/') + 1;  // npos + 1 is 0
  const std::string prefix = final_path.substr(0, name_start) + ".flametap-" + std::to_string(::getpid()) + "-";
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    std::string path = prefix + std::to_string(attempt) + ".tmp";
    Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kReadableByUmask));
    if (file) return TemporaryFile(std::move(path), std::move(file));
    if (errno != EEXIST) return cannot_write(final_path, errno);
  }
  return cannot_write(final_path, EEXIST);
}

TemporaryFile::TemporaryFile(std::string path, Fd file) : path_(std::move(path)), file_(std::move(file)) {}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), file_(std::move(other.file_)) {}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

Result<void> TemporaryFile::replace(const std::string& path) {
  const std::string place = resolved(path);
  struct stat status {};
  const bool exists = ::stat(place.c_str(), &status) == 0;
  if (exists && ::chmod(path_.c_str(), status.st_mode & kRights) != 0) return cannot_write(path, errno);
  if (::rename(path_.c_str(), place.c_str()) != 0) return cannot_write(path, errno);
  path_.clear();
  return {};
}

Result<std::string> TemporaryFile::move_beside(const std::string& path) {
  const std::string ending(extension_of(path));
  const std::string stem = path.substr(0, path.size() - ending.size());
  for (int number = 1; number <= kMaxAttempts; ++number) {
    const std::string place = number == 1 ? path : stem + "-" + std::to_string(number) + ending;
    const int failed = move_to_free(place);
    if (failed == 0) return place;
    if (failed != EEXIST) return cannot_write(place, failed);
  }
  return cannot_write(path, EEXIST);
}

// EEXIST if something stands there already.
int TemporaryFile::move_to_free(const std::string& final_path) {
  if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, final_path.c_str(), RENAME_NOREPLACE) == 0) {
    path_.clear();
    return 0;
  }
  if (errno != EINVAL && errno != ENOSYS) return errno;
  return ::link(path_.c_str(), final_path.c_str()) == 0 ? 0 : errno;  // network file systems know only this way
}

std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&::free)> real(::realpath(path.c_str(), nullptr), &::free);
  return real ? std::string(real.get()) : path;
}

}  // namespace flametap::format
