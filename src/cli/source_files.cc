#include "cli/source_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "format/read_all.h"
#include "format/utf8.h"
#include "profile/origin.h"
#include "target/root.h"

namespace flametap::cli {
namespace {

constexpr const char* kLeftOut = "sources_left_out";

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = format::character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string from_latin1(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (code < 0x80) {
      result += letter;
    } else {
      result += static_cast<char>(0xc0 | code >> 6);
      result += static_cast<char>(0x80 | (code & 0x3f));
    }
  }
  return result;
}

std::uint64_t changed_unix_ns(const struct stat& status) {
  return static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
}

std::optional<std::string> text_of(const Fd& file, std::uint64_t unix_ns) {
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (changed_unix_ns(status) > unix_ns) return std::nullopt;
  auto content = format::read_all(file.get(), profile::kMaxSourceBytes);
  if (!content || content->find('\0') != std::string::npos) return std::nullopt;
  return is_utf8(*content) ? std::move(*content) : from_latin1(*content);
}

// Where the process was, as a path in its root; empty if nobody says.
std::string folder_of(const target::Process& process) {
  std::array<char, 4096> link{};
  const ssize_t length = ::readlink(process.path("cwd").c_str(), link.data(), link.size());
  return length > 0 ? std::string(link.data(), static_cast<std::size_t>(length)) : "";
}

bool has_source(const profile::Profile& profile, const profile::Function& function) {
  const profile::Origin origin = profile::origin_of(profile, function);
  const std::string_view file = profile.text(function.file);
  const bool is_path = !file.empty() && !file.starts_with('<');  // `<string>` and its like have none
  return is_path && (origin == profile::Origin::own || origin == profile::Origin::library);
}

}  // namespace

void SourceFiles::add(const target::Process& process) {
  auto root = target::root_of(process);
  auto reader = target::Credentials::of(process);
  auto watched = target::Process::open(process.pid());
  if (root && reader && watched)
    places_.push_back({std::move(*root), folder_of(process), std::move(*watched), std::move(*reader)});
}

void SourceFiles::look_again() {
  for (Place& place : places_) {
    auto reader = target::Credentials::of(place.process);
    // Alive afterwards: so what was read was said of it, and not of another one under its number.
    if (reader && place.process.alive()) place.reader = std::move(*reader);
  }
}

Fd SourceFiles::open(const Place& place, const std::string& path) const {
  // The process chose the path: it gets to see what it could read itself, whatever our own rights are.
  const auto as_the_process = target::BorrowedCredentials::take(place.reader);
  if (!as_the_process) return {};
  if (path.starts_with('/')) return target::open_in_root(place.root, path);
  return place.folder.empty() ? Fd() : target::open_in_root(place.root, place.folder + "/" + path);
}

std::optional<std::string> SourceFiles::read(const std::string& path, std::uint64_t unix_ns) const {
  std::optional<std::string> found;
  for (const Place& place : places_) {
    const Fd file = open(place, path);
    if (!file) continue;
    auto text = text_of(file, unix_ns);
    if (!text || (found && *found != *text)) return std::nullopt;
    found = std::move(text);
  }
  return found;
}

void add_sources(const SourceFiles& files, profile::Profile& profile) {
  std::set<profile::StringId> paths;
  for (std::size_t i = 0; i < profile.function_count(); ++i) {
    const profile::Function& function = profile.function(profile::FunctionId(i));
    if (has_source(profile, function)) paths.insert(function.file);
  }
  std::uint64_t left_out = 0;
  for (const profile::StringId path : paths) {
    auto text = files.read(std::string(profile.text(path)), profile.recording.start_unix_ns);
    if (!text || !profile.add_source(path, std::move(*text))) ++left_out;
  }
  if (left_out > 0) profile.recording.quality.more[kLeftOut] += left_out;
}

}  // namespace flametap::cli
