#include "target/mapped_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "target/root.h"

namespace flametap::target {
namespace {

std::optional<FileId> id_of(const Fd& file) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return std::nullopt;
  return FileId{major(status.st_dev), minor(status.st_dev), status.st_ino};
}

Fd open_own(const Process& process, const std::string& name) {
  Result<Fd> file = process.open_file(name, kReadForeign);
  return file ? std::move(*file) : Fd();
}

std::string map_files_name(const Mapping& mapping) {
  std::array<char, 64> name{};
  std::snprintf(name.data(), name.size(), "map_files/%llx-%llx",
                static_cast<unsigned long long>(to_number(mapping.begin)),
                static_cast<unsigned long long>(to_number(mapping.end)));
  return name.data();
}

// Device numbers in maps and in stat differ on overlayfs and btrfs, so a build id decides where there is one. A file
// that was overwritten in place keeps its inode, so the build id decides also then.
bool is_same(const Mapping& mapping, const FileId& id, const ElfFile& file, const BuildId& mapped_id) {
  if (!mapped_id.empty() || !file.build_id().empty()) return mapped_id == file.build_id();
  return id == mapping.file;
}

}  // namespace

Result<ElfFile> open_mapped_file(const Process& process, const Mapping& mapping, const ElfImage& image) {
  const BuildId mapped_id = image.read_build_id();
  const std::string& path = mapping.path;
  std::string reason = path + (mapping.deleted ? " was deleted" : " cannot be opened");
  const auto open_if_same = [&](Fd file) -> std::optional<ElfFile> {
    const std::optional<FileId> id = id_of(file);
    if (!id) return std::nullopt;
    Result<ElfFile> elf = ElfFile::open(std::move(file), path);
    if (elf && is_same(mapping, *id, *elf, mapped_id)) return std::move(*elf);
    return std::nullopt;
  };

  // A name may itself end in the words that the kernel appends to the name of a deleted file; and where a file was
  // deleted, the same one may stand again.
  std::vector<std::string> names{path};
  if (mapping.deleted) names.push_back(path + " (deleted)");
  for (const std::string& name : names) {
    if (!name.starts_with('/')) continue;
    std::array<Fd, 2> files{open_in_root(process, name), Fd(::open(name.c_str(), kReadForeign))};
    for (Fd& file : files) {
      if (!file) continue;
      if (std::optional<ElfFile> elf = open_if_same(std::move(file))) return std::move(*elf);
      reason = path + " was replaced by another file";
    }
  }
  for (const std::string& name : {map_files_name(mapping), std::string("exe")}) {
    if (std::optional<ElfFile> elf = open_if_same(open_own(process, name))) return std::move(*elf);
  }
  return Error{Failure::failed, reason, ""};
}

}  // namespace flametap::target
