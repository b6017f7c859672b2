#include "cli/token_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "base/fd.h"

namespace flametap::cli {
namespace {

constexpr std::size_t kShortestToken = 16;
constexpr std::size_t kLongestToken = 4096;

// A failure of its own kind, whatever the errno: 3 is about processes.
Error cannot_read(const std::string& path, int error_number) {
  return {Failure::failed, errno_error("cannot read the token in " + path, error_number).message, ""};
}

}  // namespace

Result<std::string> read_token(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return cannot_read(path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return cannot_read(path, errno);
  if (S_ISREG(status.st_mode) && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return Error{Failure::usage, "others may read the token in " + path, "chmod 600 " + path};
  std::string token(kLongestToken + 1, '\0');
  const ssize_t got = ::read(file.get(), token.data(), token.size());
  if (got < 0) return cannot_read(path, errno);
  token.resize(static_cast<std::size_t>(got));
  token.erase(std::min(token.find_last_not_of("\r\n") + 1, token.size()));  // npos + 1 is 0
  const bool is_sound = std::ranges::all_of(token, [](char character) { return character > ' ' && character < 0x7f; });
  if (token.size() < kShortestToken || token.size() > kLongestToken || !is_sound) {
    return Error{Failure::usage, path + " holds no token: one line of at least 16 visible characters",
                 "openssl rand -hex 32 > " + path};
  }
  return token;
}

}  // namespace flametap::cli
