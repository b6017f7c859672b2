#include "format/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/fd.h"
#include "format/temporary_file.h"
#include "format/write_all.h"

namespace flametap::format {
namespace {

Result<std::string> write_directly(const std::string& path, std::string_view content) {
  Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!file) return cannot_write(path, errno);
  if (const int failed = write_all(file.get(), content); failed != 0) return cannot_write(path, failed);
  if (const int failed = close_checked(std::move(file)); failed != 0) return cannot_write(path, failed);
  return path;
}

Result<std::string> write_whole(const std::string& path, std::string_view content, Existing existing) {
  Result<TemporaryFile> file = TemporaryFile::create(existing == Existing::replace ? resolved(path) : path);
  if (!file) return file.error();
  if (const int failed = write_all(file->descriptor(), content); failed != 0) return cannot_write(path, failed);
  if (const int failed = close_checked(file->take_descriptor()); failed != 0) return cannot_write(path, failed);
  if (existing == Existing::keep_both) return file->move_beside(path);
  if (const Result<void> moved = file->replace(path); !moved) return moved.error();
  return path;
}

}  // namespace

Result<std::string> write_output(const std::string& path, std::string_view content, Existing existing) {
  if (path == "-") {
    const int failed = write_all(STDOUT_FILENO, content);
    if (failed != 0) return cannot_write("to standard output", failed);
    return path;
  }
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && existing == Existing::replace) {
    if (S_ISDIR(status.st_mode)) return cannot_write(path, EISDIR);
    if (!S_ISREG(status.st_mode)) return write_directly(path, content);
  }
  return write_whole(path, content, existing);
}

}  // namespace flametap::format
