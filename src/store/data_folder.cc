#include "store/data_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace flametap::store {
namespace {

constexpr mode_t kOnlyUs = 0700;
constexpr const char* kRemedy = "name a folder that you may write to: --data DIR";

Error cannot_use(const std::string& path, int error_number) {
  Error error = errno_error("cannot use the folder " + path, error_number);
  error.remedy = kRemedy;
  return error;
}

// Folders that are there already keep the rights that they have.
Result<void> make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), kOnlyUs) == 0) return {};
  struct stat status {};
  if (errno == EEXIST && ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return {};
  return cannot_use(path, errno == EEXIST ? ENOTDIR : errno);
}

}  // namespace

Result<std::string> DataFolder::usual_path() {
  for (const auto& [variable, below] : {std::pair{"XDG_DATA_HOME", "/flametap"}, {"HOME", "/.local/share/flametap"}}) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && *value == '/') return std::string(value) + below;
  }
  return Error{Failure::usage, "there is no home folder to keep profiles in", "name one: --data DIR"};
}

Result<DataFolder> DataFolder::open(const std::string& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error).lexically_normal();
  if (whole.has_parent_path()) std::filesystem::create_directories(whole.parent_path(), error);
  if (error) return cannot_use(path, error.value());
  for (const std::string& folder : {whole.string(), whole.string() + "/live"}) {
    if (const auto made = make_folder(folder); !made) return made.error();
  }
  Fd lock(::open((whole.string() + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock) return cannot_use(path, errno);
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error{Failure::failed, "another flametap serve uses the folder " + path,
                 "end that one, or give this one a folder of its own: --data DIR"};
  }
  // SQLite gives its files the rights of this one.
  const Fd database(::open((whole.string() + "/" + kDatabase).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!database) return cannot_use(path, errno);
  return DataFolder(whole.string(), std::move(lock));
}

}  // namespace flametap::store
