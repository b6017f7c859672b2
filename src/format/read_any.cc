#include "format/read_any.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "base/fd.h"
#include "format/folded.h"
#include "format/json.h"
#include "format/limits.h"

namespace flametap::format {
namespace {

constexpr std::size_t kReadAtOnce = 1 << 20;

Result<std::string> read_all(int file) {
  std::string content;
  while (content.size() <= kMaxFileBytes) {
    const std::size_t before = content.size();
    content.resize(before + kReadAtOnce);
    const ssize_t got = ::read(file, content.data() + before, kReadAtOnce);
    if (got < 0 && errno != EINTR) return errno_error("read", errno);
    content.resize(before + static_cast<std::size_t>(got < 0 ? 0 : got));
    if (got == 0) return content;
  }
  return Error{Failure::failed, "larger than 1 GiB", ""};
}

Error not_readable(const std::string& what) {
  return Error{Failure::failed, "this is " + what + ", which is for looking at and cannot be read back",
               "keep the recording as json (-f json) and make the others from it"};
}

}  // namespace

Result<profile::Profile> read_any_text(std::string_view content) {
  const std::size_t start = content.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return Error{Failure::failed, "the file is empty", ""};
  const std::string_view text = content.substr(start);
  if (text.starts_with("\x1f\x8b")) return not_readable("gzip, such as pprof");
  for (const std::string_view start_of_page : {"<?xml", "<svg", "<!", "<html"}) {  // `<module>` is a frame
    if (text.starts_with(start_of_page)) return not_readable("a picture or a page");
  }
  if (!text.starts_with('{')) return read_folded(content);
  constexpr std::size_t kHead = 200;  // the schema is the first member of what we write
  if (text.substr(0, kHead).find("speedscope.app") != std::string_view::npos) return not_readable("a speedscope file");
  return read_json(content);
}

Result<profile::Profile> read_any(const std::string& path) {
  const Fd opened(path == "-" ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (path != "-" && !opened) return errno_error("cannot open " + path, errno);
  Result<std::string> content = read_all(path == "-" ? STDIN_FILENO : opened.get());
  if (!content) return content.error().within("cannot read " + path);
  Result<profile::Profile> profile = read_any_text(*content);
  if (!profile) return profile.error().within("cannot read " + path);
  return profile;
}

}  // namespace flametap::format
