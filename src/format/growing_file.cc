#include "format/growing_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "format/temporary_file.h"
#include "format/write_all.h"

namespace flametap::format {

Result<GrowingFile> GrowingFile::create(const std::string& path, Existing existing, std::string_view first_piece) {
  struct stat status {};
  const bool exists = path != "-" && ::stat(path.c_str(), &status) == 0;
  if (path == "-" || (exists && existing == Existing::replace && !S_ISREG(status.st_mode))) {
    Result<GrowingFile> file = open_directly(path);
    if (!file) return file;
    if (const Result<void> appended = file->append(first_piece); !appended) return appended.error();
    return file;
  }
  Result<TemporaryFile> temporary = TemporaryFile::create(existing == Existing::replace ? resolved(path) : path);
  if (!temporary) return temporary.error();
  GrowingFile file(path, Fd());
  if (const int failed = write_all(temporary->descriptor(), first_piece); failed != 0) {
    return cannot_write(path, failed);
  }
  if (existing == Existing::keep_both) {
    Result<std::string> place = temporary->move_beside(path);
    if (!place) return place.error();
    file.path_ = std::move(*place);
  } else if (const Result<void> moved = temporary->replace(path); !moved) {
    return moved.error();
  }
  file.file_ = temporary->take_descriptor();
  file.bytes_ = first_piece.size();
  return file;
}

Result<GrowingFile> GrowingFile::open_directly(const std::string& path) {
  if (path == "-") {
    Fd file(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
    if (!file) return cannot_write("to standard output", errno);
    return GrowingFile("standard output", std::move(file));
  }
  Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!file) return cannot_write(path, errno);
  return GrowingFile(path, std::move(file));
}

Result<void> GrowingFile::append(std::string_view piece) {
  if (const int failed = write_all(file_.get(), piece); failed != 0) {
    // Only a file of ours can be cut; where it cannot, half a piece stays and its reader passes over it.
    if (::ftruncate(file_.get(), static_cast<off_t>(bytes_)) == 0) ::lseek(file_.get(), 0, SEEK_END);
    return cannot_write(path_, failed);
  }
  bytes_ += piece.size();
  return {};
}

}  // namespace flametap::format
