#include "format/output_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <ctime>
#include <memory>
#include <utility>

#include "base/fd.h"
#include "format/format.h"

namespace flametap::format {
namespace {

constexpr int kMaxAttempts = 10'000;
constexpr mode_t kReadableByUmask = 0666;
constexpr mode_t kRights = 0777;

Error cannot_write(const std::string& path, int error_number) {
  return errno_error("cannot write " + path, error_number);
}

// While it lives, writing to a pipe that nobody reads fails with EPIPE in this thread and sends no signal.
class PipeSignalHeld {
 public:
  PipeSignalHeld() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  PipeSignalHeld(const PipeSignalHeld&) = delete;
  PipeSignalHeld& operator=(const PipeSignalHeld&) = delete;
  ~PipeSignalHeld() {
    const timespec at_once{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &at_once);  // ours, if there is one
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

// 0, or the errno of the write that failed.
int write_all(int file, std::string_view content) {
  const PipeSignalHeld held;
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return EIO;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// Some file systems tell of a full disk only when the file is closed.
int close_checked(Fd file) { return ::close(file.release()) == 0 ? 0 : errno; }

// A file under a name of its own in the folder of its final place. Goes away unless it is moved there.
class TemporaryFile {
 public:
  static Result<TemporaryFile> create(const std::string& final_path) {
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

  TemporaryFile(TemporaryFile&& other) noexcept
      : path_(std::exchange(other.path_, {})), file_(std::move(other.file_)) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  int fill(std::string_view content) {
    if (const int failed = write_all(file_.get(), content); failed != 0) return failed;
    return close_checked(std::move(file_));
  }

  // With the rights of the file that stands there, if one does: a private one stays private.
  int replace(const std::string& final_path) {
    struct stat status {};
    const bool exists = ::stat(final_path.c_str(), &status) == 0;
    if (exists && ::chmod(path_.c_str(), status.st_mode & kRights) != 0) return errno;
    if (::rename(path_.c_str(), final_path.c_str()) != 0) return errno;
    path_.clear();
    return 0;
  }

  // EEXIST if something stands there already.
  int move_to_free(const std::string& final_path) {
    if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, final_path.c_str(), RENAME_NOREPLACE) == 0) {
      path_.clear();
      return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) return errno;
    return ::link(path_.c_str(), final_path.c_str()) == 0 ? 0 : errno;  // network file systems know only this way
  }

 private:
  TemporaryFile(std::string path, Fd file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  Fd file_;
};

Result<std::string> write_directly(const std::string& path, std::string_view content) {
  Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!file) return cannot_write(path, errno);
  if (const int failed = write_all(file.get(), content); failed != 0) return cannot_write(path, failed);
  if (const int failed = close_checked(std::move(file)); failed != 0) return cannot_write(path, failed);
  return path;
}

// Behind a symbolic link, the file that it stands for: the link is to stay one.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&::free)> real(::realpath(path.c_str(), nullptr), &::free);
  return real ? std::string(real.get()) : path;
}

Result<std::string> replace_file(const std::string& path, std::string_view content) {
  const std::string place = resolved(path);
  Result<TemporaryFile> file = TemporaryFile::create(place);
  if (!file) return file.error();
  if (const int failed = file->fill(content); failed != 0) return cannot_write(path, failed);
  if (const int failed = file->replace(place); failed != 0) return cannot_write(path, failed);
  return path;
}

Result<std::string> write_beside(const std::string& path, std::string_view content) {
  Result<TemporaryFile> file = TemporaryFile::create(path);
  if (!file) return file.error();
  if (const int failed = file->fill(content); failed != 0) return cannot_write(path, failed);
  const std::string ending(extension_of(path));
  const std::string stem = path.substr(0, path.size() - ending.size());
  for (int number = 1; number <= kMaxAttempts; ++number) {
    const std::string place = number == 1 ? path : stem + "-" + std::to_string(number) + ending;
    const int failed = file->move_to_free(place);
    if (failed == 0) return place;
    if (failed != EEXIST) return cannot_write(place, failed);
  }
  return cannot_write(path, EEXIST);
}

}  // namespace

Result<std::string> write_output(const std::string& path, std::string_view content, Existing existing) {
  if (path == "-") {
    const int failed = write_all(STDOUT_FILENO, content);
    if (failed != 0) return cannot_write("to standard output", failed);
    return path;
  }
  if (existing == Existing::keep_both) return write_beside(path, content);
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return cannot_write(path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) return write_directly(path, content);
  return replace_file(path, content);
}

}  // namespace flametap::format
