#include "cli/output.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "format/output_file.h"

namespace flametap::cli {
namespace {

constexpr std::size_t kMaxName = 60;

// A file that cannot be written is a failure of its own kind, whatever the errno: 3 is about processes.
Error cannot_write(const std::string& path, int error_number) {
  return {Failure::failed, errno_error("cannot write " + path, error_number).message, ""};
}

std::string base_name(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

std::string safe_name(std::string name) {
  for (char& letter : name) {
    const bool safe = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                      (letter >= '0' && letter <= '9') || letter == '_' || letter == '.' || letter == '-';
    if (!safe) letter = '_';
  }
  name.resize(std::min(name.size(), kMaxName));
  name.erase(0, name.find_first_not_of(".-"));  // neither a hidden file nor an option
  return name.empty() ? "python" : name;
}

// Options of Python that take the next word as their value.
bool takes_a_value(std::string_view option) { return option == "-W" || option == "-X" || option == "-Q"; }

}  // namespace

Result<Output> plan_output(const std::string& path, const std::string& format) {
  const auto chosen = format::choose_format(format, path);
  if (!chosen) return chosen.error();
  if (const auto writable = check_writable(path); !writable) return writable.error();
  return Output{path, *chosen};
}

Result<void> check_writable(const std::string& path) {
  if (path == "-") return {};
  struct stat status {};
  if (!path.empty() && ::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return cannot_write(path, EISDIR);
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
  if (!written) return Error{Failure::failed, written.error().message, written.error().remedy};
  return written;
}

std::string default_name(const std::vector<std::string>& command, pid_t pid, const std::tm& time,
                         std::string_view extension) {
  return fmt::format("{}-{}-{:04}{:02}{:02}-{:02}{:02}{:02}{}", short_name(command), pid, time.tm_year + 1900,
                     time.tm_mon + 1, time.tm_mday, time.tm_hour, time.tm_min, time.tm_sec, extension);
}

std::string default_name(const std::vector<std::string>& command, pid_t pid, std::string_view extension) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return default_name(command, pid, local, extension);
}

std::string short_name(const std::vector<std::string>& command) {
  if (command.empty()) return "python";
  const std::string program = safe_name(base_name(command.front()));
  if (!program.starts_with("python")) return program;
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word == "-m" && i + 1 < command.size()) return safe_name(command[i + 1]);
    if (word == "-c" || word == "-" || word == "-m") break;
    if (takes_a_value(word)) ++i;
    if (word.starts_with('-')) continue;
    std::string name = base_name(word);
    if (name.ends_with(".py")) name.resize(name.size() - 3);
    return safe_name(std::move(name));
  }
  return program;
}

}  // namespace flametap::cli
