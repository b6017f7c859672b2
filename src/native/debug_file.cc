#include "native/debug_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "target/root.h"

namespace flametap::native {
namespace {

constexpr std::string_view kSharedLink = ".gnu_debugaltlink";
constexpr std::size_t kMaxLinkBytes = 4096;
constexpr std::size_t kMaxBuildId = 64;
// The checksum takes reading the whole file. Larger ones are found by build id.
constexpr off_t kMaxCheckedBytes = off_t{4} << 30;

std::string to_hexadecimal(const target::BuildId& id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : id) {
    text += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    text += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

bool has_checksum(const Fd& file, std::uint32_t wanted) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > kMaxCheckedBytes) return false;
  std::vector<Bytef> buffer(256 * 1024);
  uLong checksum = crc32(0, nullptr, 0);
  for (off_t offset = 0; offset < status.st_size;) {
    const ssize_t length = ::pread(file.get(), buffer.data(), buffer.size(), offset);
    if (length <= 0) return false;
    checksum = crc32(checksum, buffer.data(), static_cast<uInt>(length));
    offset += length;
  }
  return checksum == wanted;
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

std::string build_id_path(const DebugSearch& search, const target::BuildId& id) {
  const std::string text = to_hexadecimal(id);
  return search.folder + "/.build-id/" + text.substr(0, 2) + "/" + text.substr(2) + ".debug";
}

bool is_usable(const target::BuildId& id) { return id.size() > 1 && id.size() <= kMaxBuildId; }

// The first of the paths, here and then in the process's root, that `take(file, path)` takes.
template <typename Take>
auto first_taken(const std::vector<std::string>& paths, const DebugSearch& search, Take take)
    -> decltype(take(Fd(), "")) {
  for (const std::string& path : paths) {
    if (auto found = take(Fd(::open(path.c_str(), target::kReadForeign)), path)) return found;
    if (search.process == nullptr) continue;
    if (auto found = take(target::open_in_root(*search.process, path), path)) return found;
  }
  return std::nullopt;
}

class Search {
 public:
  Search(const target::ElfFile& file, const DebugSearch& search) : build_id_(file.build_id()), search_(search) {
    const ElfSections sections(file.handle());
    if (const auto* const link = sections.find(".gnu_debuglink")) {
      link_ = parse_debug_link(ElfSections::bytes(*link, kMaxLinkBytes));
    }
    if (build_id_.empty()) build_id_ = sections.build_id();
  }

  std::optional<target::ElfFile> run(const std::string& path) const {
    std::vector<std::string> candidates;
    if (is_usable(build_id_)) candidates.push_back(build_id_path(search_, build_id_));
    if (link_ && path.starts_with('/')) {
      const std::string folder = folder_of(path);
      candidates.push_back(folder + link_->name);
      candidates.push_back(folder + ".debug/" + link_->name);
      candidates.push_back(search_.folder + folder + link_->name);
    }
    return first_taken(candidates, search_,
                       [&](Fd file, const std::string& name) { return take(std::move(file), name); });
  }

 private:
  std::optional<target::ElfFile> take(Fd file, const std::string& name) const {
    if (!file) return std::nullopt;
    Fd for_checksum(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
    Result<target::ElfFile> elf = target::ElfFile::open(std::move(file), name);
    if (!elf) return std::nullopt;
    const target::BuildId id = ElfSections(elf->handle()).build_id();
    const bool both_have_one = !id.empty() && !build_id_.empty();
    const bool is_same =
        both_have_one ? id == build_id_ : link_ && for_checksum && has_checksum(for_checksum, link_->checksum);
    return is_same ? std::optional(std::move(*elf)) : std::nullopt;
  }

  target::BuildId build_id_;
  std::optional<DebugLink> link_;
  const DebugSearch& search_;
};

}  // namespace

std::optional<DebugLink> parse_debug_link(Bytes section) {
  const std::string_view name = text_at(section, 0, kMaxLinkBytes);
  if (name.empty() || name.find('/') != std::string_view::npos || name == "." || name == "..") return std::nullopt;
  const std::size_t at = (name.size() + 1 + 3) / 4 * 4;
  const auto checksum = load<std::uint32_t>(section, at);
  if (!checksum) return std::nullopt;
  return DebugLink{.name = std::string(name), .checksum = *checksum};
}

std::optional<target::ElfFile> find_debug_file(const target::ElfFile& file, const std::string& path,
                                               const DebugSearch& search) {
  return Search(file, search).run(path);
}

bool needs_shared_dwarf(Elf* elf) { return ElfSections(elf).find(kSharedLink) != nullptr; }

std::optional<OpenElf> find_shared_dwarf(Elf* elf, const DebugSearch& search) {
  const ElfSections sections(elf);
  const auto* const section = sections.find(kSharedLink);
  const Bytes link = section != nullptr ? ElfSections::bytes(*section, kMaxLinkBytes) : Bytes();
  const std::string name(text_at(link, 0, kMaxLinkBytes));
  if (name.empty()) return std::nullopt;
  const Bytes rest = link.subspan(name.size() + 1);
  const target::BuildId id(rest.begin(), rest.end());
  if (!is_usable(id)) return std::nullopt;

  std::vector<std::string> candidates{build_id_path(search, id)};
  if (name.starts_with('/')) candidates.push_back(name);
  return first_taken(candidates, search, [&](Fd file, const std::string&) -> std::optional<OpenElf> {
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    ElfHandle handle(elf_begin(file.get(), ELF_C_READ, nullptr));
    if (!handle || ElfSections(handle.get()).build_id() != id) return std::nullopt;
    return OpenElf{.file = std::move(file), .elf = std::move(handle)};
  });
}

}  // namespace flametap::native
