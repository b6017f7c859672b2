#include "cli/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/fd.h"
#include "format/read_all.h"

namespace flametap::cli {
namespace {

// Browsers hold texts of 512 MiB at the most, and a page has four letters for three bytes.
constexpr std::size_t kMaxInPage = std::size_t{256} << 20;
constexpr const char* kEnding = ".partial.ftap";

// Something in a folder of its own, beside which a journal can stand.
bool is_plain_file(const std::string& path) {
  if (path == "-" || path.starts_with("/dev/") || path.starts_with("/proc/")) return false;
  struct stat status {};
  return ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

std::string temporary_path() {
  const char* const folder = std::getenv("TMPDIR");
  const std::string place = folder != nullptr && *folder != '\0' ? folder : "/tmp";
  return place + "/flametap-" + std::to_string(::getpid()) + kEnding;
}

}  // namespace

Result<Journal> Journal::open(const Output& output, const std::string& own_path, std::uint32_t time_unit_ns) {
  using format::Existing;
  const std::string& path = output.path.empty() ? own_path : output.path;
  const bool plain = is_plain_file(path);
  const bool is_result = plain && output.format == format::Format::ftap;
  const bool under_its_name = is_result && (output.path.empty() || ::access(path.c_str(), F_OK) != 0);
  auto writer = format::FtapWriter::create(under_its_name ? path
                                           : plain        ? path + kEnding
                                                          : temporary_path(),
                                           Existing::keep_both, time_unit_ns);
  if (!writer) return Error{Failure::failed, writer.error().message, writer.error().remedy};
  std::string result_path = under_its_name ? (*writer)->path() : path;
  return Journal(std::move(*writer), is_result, std::move(result_path));
}

Result<format::ReadProfile> Journal::read(bool keep_time) const {
  return format::read_any(path(), {.keep_time = keep_time});
}

Result<std::string> Journal::bytes() const {
  const Fd file(::open(path().c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno_error("cannot open " + path(), errno);
  auto content = format::read_all(file.get(), kMaxInPage);
  if (!content) return content.error().within("the recording is too large to be shown in a browser");
  return content;
}

Result<void> Journal::close() {
  if (!is_result_) {
    ::unlink(path().c_str());
  } else if (path() != result_path_ && ::rename(path().c_str(), result_path_.c_str()) != 0) {
    return errno_error("cannot write " + result_path_, errno);
  }
  return {};
}

}  // namespace flametap::cli
