#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/fd.h"
#include "target/process_tree.h"
#include "target/root.h"
#include "tracer/markers.h"

namespace flametap::tracer {
namespace {

using target::Mapping;
using target::Process;

// What the loader is given comes first among its arguments.
constexpr std::size_t kMaxWords = 64;

// How stat() names a file.
struct FileKey {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  auto operator<=>(const FileKey&) const = default;
};

std::optional<FileKey> key_of(const Fd& file) {
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return std::nullopt;
  return FileKey{status.st_dev, status.st_ino};
}

// How maps names a file. The path is part of it: on btrfs, files of two subvolumes may share device and inode there.
using MappedKey = std::tuple<target::FileId, std::string>;

MappedKey key_of(const Mapping& mapping) { return {mapping.file, mapping.path}; }

std::string map_files_name(const Mapping& mapping) {
  std::array<char, 64> name{};
  std::snprintf(name.data(), name.size(), "map_files/%llx-%llx",
                static_cast<unsigned long long>(to_number(mapping.begin)),
                static_cast<unsigned long long>(to_number(mapping.end)));
  return name.data();
}

// Tells whether an open file is the one that is mapped.
class MappedFile {
 public:
  MappedFile(const Process& process, const Mapping& mapping) : mapping_(mapping) {
    const Result<Fd> link = process.open_file(map_files_name(mapping), O_PATH);
    if (link) exact_ = key_of(*link);
  }

  [[nodiscard]] bool is(const FileKey& key) const {
    if (exact_) return key == *exact_;
    // Without root's rights there is only what maps says. On overlayfs and btrfs its device differs from stat's, but
    // the path of a file that was replaced is marked as deleted.
    if (key.inode != mapping_.file.inode) return false;
    return !mapping_.deleted || key.device == makedev(mapping_.file.device_major, mapping_.file.device_minor);
  }

 private:
  const Mapping& mapping_;
  std::optional<FileKey> exact_;
};

Result<MarkedFile> read_marked(Fd file, const std::string& path, const std::string& open_path) {
  const auto key = key_of(file);
  if (!key) return errno_error("stat " + path, errno);
  const Result<target::ElfFile> elf = target::ElfFile::open(std::move(file), path);
  if (!elf) return elf.error();
  Result<std::vector<Marker>> markers = read_markers(*elf);
  if (!markers) return markers.error().within(path);
  // A function that only a build with Py_DEBUG has.
  const bool debug_build = !markers->empty() && !elf->find_symbols({"_Py_NegativeRefcount"}).empty();
  return MarkedFile{.path = path,
                    .open_path = open_path,
                    .device = key->device,
                    .inode = key->inode,
                    .markers = std::move(*markers),
                    .debug_build = debug_build};
}

// The file under the first of these paths that leads to it, if it has markers.
template <typename IsSame>
std::optional<MarkedFile> first_that_is(const std::vector<std::string>& open_paths, const std::string& path,
                                        const IsSame& is_same) {
  for (const std::string& open_path : open_paths) {
    if (!open_path.starts_with('/')) continue;
    Fd file(::open(open_path.c_str(), target::kReadForeign));
    const auto key = key_of(file);
    if (!key || !is_same(*key)) continue;
    Result<MarkedFile> found = read_marked(std::move(file), path, open_path);
    if (found && !found->markers.empty()) return std::move(*found);
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<MarkedFile> marked_mapping(const Process& process, const Mapping& mapping) {
  const MappedFile mapped(process, mapping);
  const std::string root = process.path("root");
  std::vector<std::string> open_paths{mapping.path, root + mapping.path};
  // A name may itself end in the words that the kernel appends to the name of a deleted file.
  if (mapping.deleted) {
    open_paths.push_back(mapping.path + " (deleted)");
    open_paths.push_back(root + mapping.path + " (deleted)");
  }
  open_paths.push_back(process.path(map_files_name(mapping)));
  open_paths.push_back(process.path("exe"));
  return first_that_is(open_paths, mapping.path, [&](const FileKey& key) { return mapped.is(key); });
}

bool is_loader(std::string_view exe) {
  const std::string_view name = exe.substr(exe.rfind('/') + 1);
  return name.starts_with("ld") && name.find(".so") != std::string_view::npos;
}

// A path as the process would understand it, as an absolute one below its root.
std::string absolute_in(const Process& process, const std::string& path) {
  if (path.starts_with('/')) return path;
  std::array<char, PATH_MAX> folder{};
  const ssize_t length = ::readlink(process.path("cwd").c_str(), folder.data(), folder.size());
  if (length <= 0) return "";
  return std::string(folder.data(), static_cast<std::size_t>(length)) + "/" + path;
}

std::vector<MarkedFile> marked_arguments(const Process& process) {
  std::vector<MarkedFile> files;
  const auto exe = process.exe_path();
  const auto words = process.command_line();
  if (!exe || !words || !is_loader(*exe)) return files;
  for (std::size_t i = 1; i < std::min(words->size(), kMaxWords); ++i) {
    const std::string path = absolute_in(process, (*words)[i]);
    if (path.empty()) continue;
    const auto wanted = key_of(target::open_in_root(process, path));
    if (!wanted) continue;
    auto file =
        first_that_is({path, process.path("root") + path}, path, [&](const FileKey& key) { return key == *wanted; });
    if (file) files.push_back(std::move(*file));
  }
  return files;
}

// The first mapping of each file from which code is run.
std::vector<const Mapping*> code_of(const target::Maps& maps) {
  std::set<MappedKey> seen;
  std::vector<const Mapping*> found;
  for (const Mapping& mapping : maps) {
    if (mapping.executable && mapping.has_file() && seen.insert(key_of(mapping)).second) found.push_back(&mapping);
  }
  return found;
}

// Collects what processes have mapped. A file is looked into once, however many have it.
class UsedFiles {
 public:
  void add(const Process& process, const Mapping& mapping) {
    const auto [entry, is_new] = known_.try_emplace(key_of(mapping));
    if (is_new) entry->second = look_into(process, mapping);
    if (!entry->second) {
      if (is_new) unmarked_.push_back(entry->first);
      return;
    }
    std::vector<pid_t>& pids = used_[*entry->second].pids;
    if (pids.empty() || pids.back() != process.pid()) pids.push_back(process.pid());
  }

  // To be called when all mappings of a process were added. One that is ending loses them before it counts as dead, and
  // one that executed another program has others: it could not show its files, but another process may.
  void end_process(const Process& process) {
    if (unmarked_.empty()) return;
    std::set<MappedKey> still_mapped;
    if (const auto maps = process.maps()) {
      for (const Mapping& mapping : *maps) still_mapped.insert(key_of(mapping));
    }
    for (const MappedKey& key : unmarked_) {
      if (!still_mapped.contains(key)) known_.erase(key);
    }
    unmarked_.clear();
  }

  [[nodiscard]] std::vector<UsedFile> take() { return std::move(used_); }

 private:
  // Its place in used_; nothing if it has no markers.
  std::optional<std::size_t> look_into(const Process& process, const Mapping& mapping) {
    auto file = marked_mapping(process, mapping);
    if (!file) return std::nullopt;
    const auto [place, is_new] = places_.try_emplace({file->device, file->inode}, used_.size());
    if (is_new) used_.push_back({std::move(*file), {}});
    return place->second;
  }

  std::vector<UsedFile> used_;
  std::map<FileKey, std::size_t> places_;
  std::map<MappedKey, std::optional<std::size_t>> known_;
  std::vector<MappedKey> unmarked_;  // met first in this process
};

}  // namespace

Result<MarkedFile> marked_file(const std::string& path) {
  Fd file(::open(path.c_str(), target::kReadForeign));
  if (!file) return errno_error("open " + path, errno);
  const std::unique_ptr<char, void (*)(void*)> absolute(::realpath(path.c_str(), nullptr), std::free);
  const std::string open_path = absolute ? absolute.get() : path;
  Result<MarkedFile> found = read_marked(std::move(file), path, open_path);
  if (found && found->markers.empty()) return Error{Failure::not_python, path + " has no markers of Python", ""};
  return found;
}

Result<std::vector<MarkedFile>> marked_files_of(const Process& process) {
  const Result<target::Maps> maps = process.maps();
  if (!maps) return maps.error().within("cannot list what the process has loaded");
  std::vector<MarkedFile> files;
  for (const Mapping* const mapping : code_of(*maps)) {
    if (auto file = marked_mapping(process, *mapping)) files.push_back(std::move(*file));
  }
  return files.empty() ? marked_arguments(process) : files;
}

std::vector<UsedFile> marked_files_everywhere() {
  UsedFiles files;
  for (const pid_t pid : target::all_processes()) {
    const Result<Process> process = Process::open(pid);
    const Result<target::Maps> maps = process ? process->maps() : process.error();
    if (!maps) continue;
    for (const Mapping* const mapping : code_of(*maps)) files.add(*process, *mapping);
    files.end_process(*process);
  }
  return files.take();
}

}  // namespace flametap::tracer
