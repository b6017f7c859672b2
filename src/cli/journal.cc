#include "cli/journal.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace flametap::cli {
namespace {

constexpr const char* kEnding = ".partial.ftap";

bool is_plain_file(const std::string& path) {
  if (path == "-") return false;
  struct stat status {};
  return ::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

std::string temporary_path() {
  const char* const folder = std::getenv("TMPDIR");
  const std::string place = folder != nullptr && *folder != '\0' ? folder : "/tmp";
  return place + "/flametap-" + std::to_string(::getpid()) + kEnding;
}

}  // namespace

Result<Journal> Journal::open(const Output& output, const std::string& own_path) {
  using format::Existing;
  const std::string& path = output.path.empty() ? own_path : output.path;
  const bool plain = is_plain_file(path);
  const bool is_result = plain && output.format == format::Format::ftap;
  const Existing existing = is_result && !output.path.empty() ? Existing::replace : Existing::keep_both;
  auto writer = format::FtapWriter::create(is_result ? path : plain ? path + kEnding : temporary_path(), existing);
  if (!writer) return Error{Failure::failed, writer.error().message, writer.error().remedy};
  return Journal(std::move(*writer), is_result);
}

Result<format::ReadProfile> Journal::read(bool keep_time) const {
  return format::read_any(path(), {.keep_time = keep_time});
}

void Journal::remove() {
  if (!is_result_) ::unlink(path().c_str());
}

}  // namespace flametap::cli
