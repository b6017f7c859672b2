#include "cli/output.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "format/output_file.h"
#include "format/program_name.h"

namespace flametap::cli {
namespace {

// A file that cannot be written is a failure of its own kind, whatever the errno: 3 is about processes.
Error cannot_write(const std::string& path, int error_number) {
  return {Failure::failed, errno_error("cannot write " + path, error_number).message, ""};
}

Error is_directory(const std::string& path) {
  Error error = cannot_write(path, EISDIR);
  error.remedy = "name a file in it: " + path + (path.ends_with('/') ? "" : "/") + "NAME";
  return error;
}

}  // namespace

Result<Output> plan_output(const std::string& path, const std::string& format) {
  // First the place: that a folder's name does not tell a format is not what is wrong with it.
  if (const auto writable = check_writable(path); !writable) return writable.error();
  const auto chosen = format::choose_format(format, path);
  if (!chosen) return chosen.error();
  return Output{path, *chosen};
}

Result<void> check_writable(const std::string& path) {
  if (path == "-") return {};
  struct stat status {};
  if (!path.empty() && ::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return is_directory(path);
    if (!S_ISREG(status.st_mode)) return ::access(path.c_str(), W_OK) == 0 ? Result<void>{} : cannot_write(path, errno);
  }
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    const int reason = errno;
    return cannot_write(path.empty() ? "into the current folder" : path, reason);
  }
  return {};
}

Result<std::string> write(const Output& output, const std::string& default_path, std::string_view content) {
  const auto written = output.path.empty() ? format::write_output(default_path, content, format::Existing::keep_both)
                                           : format::write_output(output.path, content, format::Existing::replace);
  if (!written) {
    Error error = written.error();
    error.kind = Failure::failed;
    return error;
  }
  return written;
}

std::string default_name(const std::vector<std::string>& command, pid_t pid, const std::tm& time,
                         std::string_view extension) {
  return fmt::format("{}-{}-{:04}{:02}{:02}-{:02}{:02}{:02}{}", format::program_name(command), pid, time.tm_year + 1900,
                     time.tm_mon + 1, time.tm_mday, time.tm_hour, time.tm_min, time.tm_sec, extension);
}

std::string default_name(const std::vector<std::string>& command, pid_t pid, std::string_view extension) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return default_name(command, pid, local, extension);
}

}  // namespace flametap::cli
